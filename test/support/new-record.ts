import { analyseChunk } from '#src/search/analysis.ts';
import type { NewRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { toDirection } from '#test/suites/sink/content.ts';

/** Returns the only chunk of a document, whose id is its position in a list. */
export function toNewRecord(text: string, at: number): NewRecord {
  const analysed = analyseChunk({ text, language: 'en' });
  return {
    rowId: crypto.randomUUID(),
    version: 1,
    keywords: '',
    length: analysed.length,
    meanLength: 1,
    analysed,
    chunk: {
      id: `node ${at}`,
      documentId: String(at),
      position: 0,
      text,
      headings: [],
      startChar: 0,
      endChar: text.length,
      hash: `hash of ${text}`,
      language: analysed.language,
      title: 'Annual report',
      metadata: {},
    },
    vector: toDirection('common'),
  };
}
