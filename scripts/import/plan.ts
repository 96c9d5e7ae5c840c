import type { SourceContext } from './context.ts';
import { formatCount, formatSize, toPrintable } from './output.ts';
import { listSelectedFiles, type Selection } from './selection.ts';

/** Lists what an import would copy. Reads only from the source server and writes nothing. */
export async function describePlan(context: SourceContext, selection: Selection): Promise<string> {
  const { sinks, embeddingModels, sources, configurations, pipelines, retrievers } = selection;
  let files = 0;
  let bytes = 0;
  for await (const { file_size } of listSelectedFiles(context, selection)) {
    files += 1;
    bytes += file_size ?? 0;
  }
  const describe = (noun: string, items: readonly { name: string }[], extent = '') => {
    const names = items.map(({ name }) => toPrintable(name, 120)).join(', ');
    return `  ${formatCount(items.length, noun)}${items.length > 0 ? `${extent}: ${names}` : ''}`.trimEnd();
  };
  return [
    'Would copy:',
    describe('data sink', sinks),
    describe('embedding model configuration', embeddingModels),
    describe('data source', sources),
    describe('configuration', configurations),
    describe('pipeline', pipelines, ', with all files, documents and data sources'),
    describe('retriever', retrievers),
    `  ${formatCount(files, 'file')}, ${formatSize(bytes)}`,
    '',
  ].join('\n');
}
