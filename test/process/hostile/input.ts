import type { HostileDocument } from '#test/support/hostile-documents/document.ts';
import type { Attacker, Document } from './attacker.ts';

/** One hostile input. */
export interface Input {
  name: string;
  /** Statuses in which the work of the input must end; any end is fine if absent. */
  ends?: string[];
  /** Creates the document before the attack begins, so that creating it does not slow down the second tenant. */
  document?(): Document | Promise<Document>;
  attack(attacker: Attacker, document: Document): Promise<unknown>;
}

/** A document that is indexed by a pipeline. */
export const indexed = (
  name: string,
  file: string,
  content: () => string | Uint8Array | Promise<Uint8Array>,
): Input => ({
  name,
  document: async () => buildDocument(file, await content()),
  attack: (attacker, document) => attacker.index(document),
});

/** A document of which a pipeline also draws the pages. */
export const drawn = (kind: string, { name, file, bytes }: HostileDocument): Input => ({
  ...indexed(`${kind}: ${name}`, file, bytes),
  attack: (attacker, document) => attacker.draw(document),
});

export function buildDocument(name: string, content: string | Uint8Array): Document {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { name, bytes };
}
