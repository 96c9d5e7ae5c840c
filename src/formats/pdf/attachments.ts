import type { Omission } from '#src/documents/document.ts';
import type { Engine } from './engine/engine.ts';
import { readUtf16 } from './engine/engine.ts';

const MAX_LISTED = 100;

/** Lists the files embedded in a PDF, which are not read. */
export function listAttachments(engine: Engine, document: number): Omission[] {
  const { raw } = engine;
  const count = raw.FPDFDoc_GetAttachmentCount(document);
  const found: Omission[] = [];
  for (let at = 0; at < Math.min(count, MAX_LISTED); at++) {
    const attachment = raw.FPDFDoc_GetAttachment(document, at);
    if (attachment === 0) continue;
    const name = readUtf16(engine, (buffer, length) =>
      raw.FPDFAttachment_GetName(attachment, buffer, length),
    );
    found.push({ kind: 'embedded_file', message: `The embedded file ${name} is not read.` });
  }
  if (count > MAX_LISTED) {
    const message = `${count - MAX_LISTED} further embedded files are not read.`;
    found.push({ kind: 'embedded_file', message });
  }
  return found;
}
