// What `import { MemoryError } from "@rotifer/playground/memory"` gives a gene; the types are for editors.

/** A memory call that failed; `code` says how (GEN-4). */
export class MemoryError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
MemoryError.prototype.name = "MemoryError";
