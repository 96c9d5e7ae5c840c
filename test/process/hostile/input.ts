import type { Attacker, Document } from './attacker.ts';

/** One hostile input, by what it is. `short`: it is also thrown in the plain run of the tests. */
export interface Input {
  name: string;
  short?: boolean;
  /** How long the second tenant may wait where wrangler's own proxy is what it waits for, see docs/architecture.md. */
  mostWaitMs?: number;
  /** How its work is to end. */
  ends?: string[];
  /** What is made beforehand, so that its making holds up nobody's clock. */
  document?(): Document | Promise<Document>;
  attack(attacker: Attacker, document: Document): Promise<unknown>;
}

/** A document that is put into a pipeline. */
export const indexed = (
  name: string,
  file: string,
  content: () => string | Uint8Array | Promise<Uint8Array>,
  short = false,
): Input => ({
  name,
  short,
  document: async () => documentOf(file, await content()),
  attack: (attacker, document) => attacker.index(document),
});

export function documentOf(name: string, content: string | Uint8Array): Document {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name, bytes };
}
