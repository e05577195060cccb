// A gene that makes the memory call its input names and tells what came of it.
//
// The input is `{call, arguments, bytes?}`: `arguments` by the page's names, and `bytes` the value in hex where
// the value is bytes. The output is `{result}` or `{refused: {code, class, message}}`; an entry is told twice,
// as JSON makes it and by its members.
import { MemoryError } from "@rotifer/playground/memory";
import type { GeneMemoryAccess, MemoryEntry } from "@rotifer/playground/memory";

interface Input {
  call: keyof GeneMemoryAccess;
  arguments: Record<string, any>;
  bytes?: string;
}

export function express(input: Input, ctx: { memory: GeneMemoryAccess }): unknown {
  const given = input.arguments;
  if (input.bytes !== undefined) given.value = Uint8Array.from(Buffer.from(input.bytes, "hex"));
  try {
    const result: any = called(input.call, given, ctx.memory);
    if (Array.isArray(result)) return { result: result.map(told) };
    return { result: result ? told(result) : (result ?? null) };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { refused: { code: error.code, class: error.name, message: error.message } };
  }
}

function called(call: Input["call"], given: Record<string, any>, memory: GeneMemoryAccess): unknown {
  switch (call) {
    case "readMemory":
      return "category" in given ? memory.readMemory(given.key, given.category) : memory.readMemory(given.key);
    case "writeMemory":
      return memory.writeMemory(
        given.key,
        given.value,
        given.category,
        given.accessPolicy,
        given.retentionPolicy,
      );
    case "queryMemory":
      return memory.queryMemory(given.filter);
    case "deleteMemory":
      return memory.deleteMemory(given.key);
  }
}

function told(entry: MemoryEntry): unknown {
  if (Object.getPrototypeOf(entry.value) !== Uint8Array.prototype) throw new TypeError("a value is no Uint8Array");
  return { json: entry, attributes: { ...entry, value: Buffer.from(entry.value).toString("hex") } };
}
