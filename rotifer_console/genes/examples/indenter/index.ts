/// <reference path="../../types/rotifer-memory.d.ts" />
// Indents code anew, by the width that was asked for last.
import type { GeneMemoryAccess } from "@rotifer/playground/memory";

interface Input {
  code: string;
  indent?: number;
}

interface Output {
  formatted: string;
  indent: number;
}

interface Refusal {
  __rotifer_error: { message: string };
}

// Genes of an agent share its keys: one that begins with the domain collides with no other gene's.
const WIDTH_KEY = "formatter/indent";
const USUAL_WIDTH = 2;
const WIDEST = 16;

/** The code in the width of the input, or else in the one remembered. */
export function express({ code, indent }: Input, { memory }: { memory: GeneMemoryAccess }): Output | Refusal {
  if (indent === undefined) {
    const width = rememberedWidth(memory);
    return { formatted: indented(code, width), indent: width };
  }
  if (!Number.isInteger(indent) || indent < 1 || indent > WIDEST) {
    return { __rotifer_error: { message: `an indent is a whole number from 1 to ${WIDEST}` } };
  }
  memory.writeMemory(WIDTH_KEY, new TextEncoder().encode(`${indent}`), "PREFERENCE");
  return { formatted: indented(code, indent), indent };
}

function rememberedWidth(memory: GeneMemoryAccess): number {
  const entry = memory.readMemory(WIDTH_KEY, "PREFERENCE");
  return entry === null ? USUAL_WIDTH : Number(new TextDecoder().decode(entry.value));
}

/** Every line as deep as it was, a level being what the least indented line begins with. */
function indented(code: string, width: number): string {
  const lines = code.split("\n");
  const depths = lines.map((line) => line.length - line.trimStart().length);
  const level = Math.min(...depths.filter((depth) => depth > 0));
  return lines
    .map((line, at) => (depths[at] ? " ".repeat(Math.round(depths[at] / level) * width) : "") + line.trimStart())
    .join("\n");
}
