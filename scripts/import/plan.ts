import type { Reading } from './move.ts';
import { filesOfSelection, type Selection } from './selection.ts';
import { printable, sizeOf } from './tell.ts';

/** What a run would copy; asks the source only. */
export async function planOf(move: Reading, selection: Selection): Promise<string> {
  const { sinks, embeddingModels, sources, configurations, pipelines, retrievers } = selection;
  let files = 0;
  let bytes = 0;
  for await (const { file_size } of filesOfSelection(move, selection)) {
    files += 1;
    bytes += file_size ?? 0;
  }
  const named = (title: string, items: readonly { name: string }[]) =>
    `  ${items.length} ${title}${items.length > 0 ? ':' : ''} ${items.map(({ name }) => printable(name, 120)).join(', ')}`.trimEnd();
  return [
    'Would copy:',
    named('data sinks', sinks),
    named('embedding model configurations', embeddingModels),
    named('data sources', sources),
    named('configurations', configurations),
    named('pipelines, with their files, documents and data sources', pipelines),
    named('retrievers', retrievers),
    `  ${files} files, ${sizeOf(bytes)}`,
    '',
  ].join('\n');
}
