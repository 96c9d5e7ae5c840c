import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import type { Choice } from '../../ui/field.tsx';

const CACHED = { staleTime: 30_000 };

/** Returns the indexes and retrievers that a run can evaluate, with values for `readTarget`. */
export function useTargets(): Choice[] {
  const { data: indexes = [] } = useApiQuery('GET /api/v1/pipelines', {}, CACHED);
  const { data: retrievers = [] } = useApiQuery('GET /api/v1/retrievers', {}, CACHED);
  return [
    ...indexes.map((index) => ({ value: `index ${index.id}`, label: index.name })),
    ...retrievers.map((retriever) => ({
      value: `retriever ${retriever.id}`,
      label: t('{name} (retriever)', { name: retriever.name }),
    })),
  ];
}

/** Returns the id that a choice of `useTargets` stands for. */
export function readTarget(value: string): { pipeline_id: string } | { retriever_id: string } | undefined {
  const [kind, id] = value.split(' ');
  if (!id) return undefined;
  return kind === 'index' ? { pipeline_id: id } : { retriever_id: id };
}

/** Returns the choice of `useTargets` that stands for a pipeline or retriever. */
export function writeTarget(ids: {
  pipeline_id?: string | null | undefined;
  retriever_id?: string | null | undefined;
}): string {
  const [kind, id] = ids.retriever_id ? ['retriever', ids.retriever_id] : ['index', ids.pipeline_id];
  return `${kind} ${id}`;
}
