// The program inside a TypeScript or JavaScript gene's process: it serves runs until its channel closes.
//
// It holds no identity: which agent and gene the calls are made for is known at the other end alone (HST-3).
// Whatever a gene does to this program, it can only send what the other end takes from that gene anyway.
// What is used of JSON and of the process is taken here, before any gene is loaded.
import * as fs from "node:fs";
import { registerHooks, stripTypeScriptTypes, syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import v8 from "node:v8";
import { compileFunction } from "node:vm";

import { Frames, MAX_FRAME_BYTES } from "./node_frames.mjs";
import { MemoryError } from "./node_memory.mjs";

const { parse, stringify } = JSON;
const exit = process.exit.bind(process);
const ENTRY_POINTS = ["express", "default", "main"];
const MEMORY_MODULE = "@rotifer/playground/memory";
const FRAME_SPARE_BYTES = 1024;
const LONGEST_MESSAGE = 10_000;
const CHANNEL_GONE = 74; // the status with which the process ends where its gene has closed the channel
const UNSENDABLE = "null"; // for a request with no JSON form: the other end refuses it in its turn (ACC-8)
const CODES = [
  "MEMORY_NOT_FOUND",
  "MEMORY_ACCESS_DENIED",
  "MEMORY_QUOTA_EXCEEDED",
  "MEMORY_INVALID_INPUT",
  "MEMORY_STORAGE_ERROR",
];
const ODD_ARGUMENT =
  "an argument is not what the call takes: a value is a Uint8Array, a key is text, neither is huge";

const [, , descriptor, source] = process.argv;
const frames = new Frames(Number(descriptor));
const folder = source.slice(0, source.lastIndexOf("/") + 1);
const folderUrl = pathToFileURL(folder).href;

let current = null; // the id of the run in progress
let interrupt = null; // ends it with an error that express did not throw

/** One entry as the calls return it: the page's members, the value as bytes (ENT-1). */
class MemoryEntry {
  constructor(members) {
    this.entryId = members.entryId;
    this.category = members.category;
    this.key = members.key;
    this.value = new Uint8Array(Buffer.from(members.value, "base64"));
    this.createdBy = members.createdBy;
    this.lastAccessedBy = members.lastAccessedBy;
    this.createdAt = members.createdAt;
    this.updatedAt = members.updatedAt;
    this.accessPolicy = members.accessPolicy;
    this.retentionPolicy = members.retentionPolicy;
  }

  toJSON() {
    return { ...this, value: base64Of(this.value) };
  }
}

/** The four calls of one run; each may be taken out of the object and called alone (GEN-4). */
function memoryOf(run) {
  return {
    readMemory(key, category) {
      const found = ask(run, "readMemory", { key, category });
      return found === null ? null : new MemoryEntry(found);
    },
    writeMemory(key, value, category, accessPolicy, retentionPolicy) {
      const request = { key, value: base64Of(value), category, accessPolicy, retentionPolicy };
      return new MemoryEntry(ask(run, "writeMemory", request));
    },
    queryMemory(filter = {}) {
      const isObject = Object.prototype.toString.call(filter) === "[object Object]"; // no Map: it would be {}
      return ask(run, "queryMemory", isObject ? filter : null).map((members) => new MemoryEntry(members));
    },
    deleteMemory(key) {
      ask(run, "deleteMemory", { key });
    },
  };
}

/** Padded base64 of a Uint8Array of any realm, over any buffer; null of anything else. */
function base64Of(value) {
  if (!types.isUint8Array(value)) return null;
  try {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  } catch {
    return null; // its buffer is detached, or has shrunk
  }
}

/** The answer to a memory call of the run in progress, or a MemoryError. */
function ask(run, call, request) {
  if (run !== current) {
    throw new MemoryError("MEMORY_ACCESS_DENIED", "this memory belongs to a run that has ended");
  }
  const text = requestText(request);
  const answer = exchange(`{"run":"${run}","call":"${call}","request":${text ?? UNSENDABLE}}`);
  if (!("error" in answer)) return answer.ok;
  const { code, message } = answer.error;
  throw new MemoryError(code, text === null && code === "MEMORY_INVALID_INPUT" ? ODD_ARGUMENT : message);
}

/** JSON that fits a frame; null where there is none, or where an object stands for a text or for bytes. */
function requestText(request) {
  if (request === null || request.value === null) return null;
  if (typeof request.key === "object" || typeof request.category === "object") return null;
  try {
    const text = stringify(request);
    return isSendable(text) ? text : null;
  } catch {
    return null;
  }
}

function isSendable(text) {
  const most = MAX_FRAME_BYTES - FRAME_SPARE_BYTES;
  return text.length <= most && (3 * text.length <= most || Buffer.byteLength(text) <= most);
}

function exchange(text) {
  send(text);
  return receive();
}

function send(text) {
  try {
    frames.send(text);
  } catch {
    exit(CHANNEL_GONE);
  }
}

function receive() {
  let text;
  try {
    text = frames.receive();
  } catch {
    exit(CHANNEL_GONE);
  }
  if (text === null) exit(0); // the other process is gone
  return parse(text);
}

async function serve() {
  let entryPoint = null;
  for (;;) {
    const order = receive();
    const { run } = order;
    current = run;
    let outcome;
    try {
      entryPoint ??= await settled(load());
      const result = entryPoint(order.input, { memory: memoryOf(run) });
      outcome = done(run, isPromise(result) ? await settled(result) : result);
    } catch (error) {
      outcome = failed(run, describe(error), codeOf(error));
    }
    current = null;
    send(outcome);
  }
}

/** What the promise comes to, or an error from outside of it: a timer's, or that nothing can settle it. */
async function settled(promise) {
  try {
    return await Promise.race([promise, new Promise((_, reject) => (interrupt = reject))]);
  } finally {
    interrupt = null;
  }
}

function isPromise(result) {
  return result !== null && typeof result === "object" && typeof result.then === "function";
}

/** `express`, else the default export, else `main` (GEN-1); of a CommonJS module also as its members. */
async function load() {
  const module = await import(pathToFileURL(source).href);
  for (const exported of [module, module.default ?? {}]) {
    for (const name of ENTRY_POINTS) {
      if (typeof exported[name] === "function") return exported[name];
    }
  }
  throw new Failure(`${source.slice(folder.length)} exports no ${ENTRY_POINTS.join(" and no ")}`);
}

/** A failure that is told as it is: no class and no line would say more. */
class Failure extends Error {}

function done(run, output) {
  let text;
  try {
    text = stringify(output) ?? "null"; // undefined has no JSON form, and null is what it stands for
  } catch {
    return failed(run, "its output is not JSON", null);
  }
  if (!isSendable(text)) return failed(run, `its output is larger than ${MAX_FRAME_BYTES} bytes`, null);
  return `{"run":"${run}","done":${text}}`;
}

function failed(run, message, code) {
  return stringify({ run, fail: { code, message: message.slice(0, LONGEST_MESSAGE) } });
}

/** The code of a memory error that the gene let through; null where it made up one of its own. */
function codeOf(error) {
  try {
    if (!(error instanceof MemoryError)) return null;
    const { code } = error;
    for (const known of CODES) if (code === known) return known;
  } catch {
    // its members may throw anything
  }
  return null;
}

/** What the gene threw, and where in its own files: a stack in one line (CLI-2). */
function describe(error) {
  try {
    if (error instanceof Failure) return error.message;
    if (!(types.isNativeError(error) || error instanceof Error)) return `it threw ${String(error)}`;
    const kind = codeOf(error) ?? String(error.name);
    const said = String(error.message);
    return (said ? `${kind}: ${said}` : kind) + where(String(error.stack));
  } catch {
    return "it threw what cannot be told"; // its members may throw anything
  }
}

/** Where a stack first touches the gene's folder; a module's name is a URL there, a script's a path. */
function where(stack) {
  const places = [folderUrl, folder].map((place) => place.replace(/[^\w\s]/g, "\\$&"));
  const found = new RegExp(`(?:${places.join("|")})([^\\n()]*?):(\\d+)`).exec(stack);
  return found === null ? "" : ` (${decodeURI(found[1])}, line ${found[2]})`;
}

/** Where a module is, and its kind: decided by what lies in the gene's folder, and so counts towards its id. */
function resolve(specifier, context, next) {
  if (specifier === MEMORY_MODULE) {
    return { url: new URL("./node_memory.mjs", import.meta.url).href, format: "module", shortCircuit: true };
  }
  const found = next(specifier, context);
  const [, suffix] = /\.(js|ts)$/.exec(found.url) ?? [];
  if (!found.format || !suffix || !found.url.startsWith(folderUrl) || hasOwnPackage(found.url)) return found;
  const kind = kindOf(fs.readFileSync(new URL(found.url), "utf8"), suffix); // not what a file above it says
  return { ...found, format: suffix === "ts" ? `${kind}-typescript` : kind };
}

function hasOwnPackage(url) {
  for (let above = new URL(".", url); above.href.startsWith(folderUrl); above = new URL("..", above)) {
    if (fs.existsSync(new URL("package.json", above))) return true;
  }
  return false;
}

/** As Node decides where no package.json does: what is no script is a module. */
function kindOf(code, suffix) {
  try {
    const script = suffix === "ts" ? stripTypeScriptTypes(code) : code;
    compileFunction(script, ["exports", "require", "module", "__filename", "__dirname"]);
    return "commonjs";
  } catch {
    return "module";
  }
}

/** What a gene prints goes out at once: this process may be ended at any time, and what waits would be lost. */
function printAtOnce(name) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  const opened = () => {
    const stream = get.call(process);
    stream._handle?.setBlocking?.(true); // a pipe's; others block anyway
    Object.defineProperty(process, name, { value: stream, enumerable: true, configurable: true });
    return stream;
  };
  Object.defineProperty(process, name, { get: opened, enumerable: true, configurable: true });
}

printAtOnce("stdout");
printAtOnce("stderr");
process.on("uncaughtException", (error) => interrupt?.(error));
process.on("unhandledRejection", (error) => interrupt?.(error));
process.on("beforeExit", () => {
  const reject = interrupt;
  const reason = new Failure("express never settled, and nothing is left that could settle it");
  if (reject !== null) setImmediate(() => reject(reason)); // something to do: the process lives on
});
registerHooks({ resolve });
v8.setFlagsFromString = undefined; // V8 writes files where its flags say, and asks no permission
syncBuiltinESMExports();
process.argv.splice(1, process.argv.length, source);
await serve();
