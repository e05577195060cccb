// Frames over a descriptor that blocks: four bytes of length, big-endian, then JSON in UTF-8 (HST-3).
// What is used of Node is taken once, before any gene is loaded: a gene may change what Node offers.
import * as fs from "node:fs";

const { readSync, writeSync } = fs;
const LENGTH_BYTES = 4;
const KEPT_BYTES = 65_536;
const WAIT_MS = 1;

/** No frame is larger; the other end refuses it. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

const never = new Int32Array(new SharedArrayBuffer(4));

/** This process's end of a channel. The other end sends one frame at a time and waits for the answer. */
export class Frames {
  #descriptor;
  #kept = Buffer.allocUnsafeSlow(KEPT_BYTES); // for frames that fit: most of them

  constructor(descriptor) {
    this.#descriptor = descriptor;
  }

  /** Sends a text as one frame; throws what the system says where the channel is gone. */
  send(text) {
    const fits = LENGTH_BYTES + 3 * text.length <= KEPT_BYTES; // no code unit takes more than three bytes
    const frame = fits ? this.#kept : Buffer.allocUnsafe(LENGTH_BYTES + Buffer.byteLength(text));
    const length = frame.write(text, LENGTH_BYTES);
    frame.writeUInt32BE(length);
    for (let at = 0, end = LENGTH_BYTES + length; at < end; ) {
      at += patiently(writeSync, this.#descriptor, frame, at, end - at);
    }
  }

  /** The text of the next frame; null where the other end has closed the channel. */
  receive() {
    let frame = this.#kept;
    let end = LENGTH_BYTES;
    for (let at = 0; at < end; ) {
      const read = patiently(readSync, this.#descriptor, frame, at, frame.length - at);
      if (read === 0) return null;
      const hadLength = at >= LENGTH_BYTES;
      at += read;
      if (hadLength || at < LENGTH_BYTES) continue;
      end = LENGTH_BYTES + frame.readUInt32BE();
      if (end > frame.length) frame = grown(frame, at, end);
    }
    return frame.toString("utf8", LENGTH_BYTES, end);
  }
}

function grown(kept, filled, size) {
  const frame = Buffer.allocUnsafe(size);
  kept.copy(frame, 0, 0, filled);
  return frame;
}

// A gene can make the channel one that does not block: then its other end is waited for here.
function patiently(transfer, descriptor, buffer, offset, length) {
  for (;;) {
    try {
      return transfer(descriptor, buffer, offset, length, null);
    } catch (error) {
      if (error.code === "EAGAIN") Atomics.wait(never, 0, 0, WAIT_MS);
      else if (error.code !== "EINTR") throw error;
    }
  }
}
