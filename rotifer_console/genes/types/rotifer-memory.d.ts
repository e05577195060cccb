// What a gene in TypeScript imports from "@rotifer/playground/memory". Types are for editors and checkers:
// Node strips them. `MemoryError` is there at run time too.

declare module "@rotifer/playground/memory" {
  /** Decides how long an entry is likely to stay: CACHE is cleared first, PREFERENCE never. */
  export type MemoryCategory = "PREFERENCE" | "PATTERN" | "CONTEXT" | "CACHE";

  /** Who may read an entry, or write it. No agent grants DEPLOYER_CONFIGURED yet. */
  export type AccessScope = "CREATOR_GENE_ONLY" | "SAME_DOMAIN" | "ALL_GENES" | "DEPLOYER_CONFIGURED";

  /** Whether an entry may leave its agent; all but PRIVATE need an agent that allows it. */
  export type SharePolicy = "PRIVATE" | "ANONYMIZED_SHARE" | "KNOWLEDGE_GENE";

  /** Left out, a new entry is for its creator's domain, and private. Only the creator changes it. */
  export interface MemoryAccessPolicy {
    readScope: AccessScope;
    writeScope: AccessScope;
    sharePolicy: SharePolicy;
  }

  /** How long an entry is kept after its last update. Only the creator changes it. */
  export interface RetentionPolicy {
    /** Whole days from 1 to 2147483647; null for no limit. */
    maxRetentionDays: number | null;
    autoDeleteOnTermination: boolean;
    anonymizationSupported: boolean;
  }

  /** One entry; `JSON.stringify` writes its value as base64. */
  export interface MemoryEntry {
    entryId: string;
    category: MemoryCategory;
    key: string;
    value: Uint8Array;
    /** The v2 id of the gene that created it. */
    createdBy: string;
    /** The v2 id of the gene that read or wrote it last. */
    lastAccessedBy: string;
    /** RFC 3339, UTC. */
    createdAt: string;
    /** RFC 3339, UTC. */
    updatedAt: string;
    accessPolicy: MemoryAccessPolicy;
    /** null follows the agent's data policy. */
    retentionPolicy: RetentionPolicy | null;
  }

  /** Every member that is given must hold. */
  export interface MemoryFilter {
    category?: MemoryCategory;
    /** What the key begins with; no character of it stands for another. */
    keyPrefix?: string;
    /** RFC 3339: updated then or later. */
    since?: string;
    /** RFC 3339: updated before then. */
    until?: string;
    /** From 1 to 1000; 100 if left out. */
    limit?: number;
  }

  /** `ctx.memory`. Each call returns its result at once, or throws a MemoryError. */
  export interface GeneMemoryAccess {
    /** The entry under the key, of that category if one is given; null where there is none. */
    readMemory(key: string, category?: MemoryCategory): MemoryEntry | null;

    /** Creates the entry or replaces its value, and returns what is stored. Values are at most 1 MiB. */
    writeMemory(
      key: string,
      value: Uint8Array,
      category: MemoryCategory,
      accessPolicy?: MemoryAccessPolicy,
      retentionPolicy?: RetentionPolicy | null,
    ): MemoryEntry;

    /** The entries this gene may read that match, most recently updated first; never cut off silently. */
    queryMemory(filter?: MemoryFilter): MemoryEntry[];

    /** Removes the entry. */
    deleteMemory(key: string): void;
  }

  export type MemoryErrorCode =
    | "MEMORY_NOT_FOUND"
    | "MEMORY_ACCESS_DENIED"
    | "MEMORY_QUOTA_EXCEEDED"
    | "MEMORY_INVALID_INPUT"
    | "MEMORY_STORAGE_ERROR";

  /** What a call throws that was refused or failed. */
  export class MemoryError extends Error {
    readonly code: MemoryErrorCode;
    private constructor();
  }
}
