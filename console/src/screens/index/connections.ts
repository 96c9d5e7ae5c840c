import { useApiQuery } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import type { Choice } from '../../ui/field.tsx';
import { findProduct } from '../connections/products.ts';

const CACHED = { staleTime: 60_000 };

const useCapabilities = () => useApiQuery('GET /api/v1/capabilities', {}, CACHED).data;

/** Embedding type of pipelines that use the model of the installation. */
const MANAGED = 'PROVIDER_F_EMBEDDING' satisfies Pipeline['embedding_config']['type'];

/** Returns true if the index has its own embedding settings, which do not refer to a saved model. */
export const hasCustomEmbedding = ({
  embedding_model_config_id: saved,
  embedding_config: { type },
}: Pipeline) => !saved && type != null && type !== MANAGED;

/**
 * Returns a function that names the product of a data source or vector store by its type. The function returns
 * unknown types unchanged.
 */
export function useKindTitles(): (type: string) => string {
  const known = useCapabilities();
  const titles = [...(known?.data_sources ?? []), ...(known?.data_sinks ?? [])];
  return (type) => findProduct(type)?.name ?? titles.find((each) => each.type === type)?.title ?? type;
}

/**
 * Returns a function that names the embedding model of an index: the name of the saved model, or otherwise the
 * title of the model's type.
 */
export function useEmbeddingName(): (index: Pipeline) => string {
  const models = useCapabilities()?.embedding_models;
  return ({ embedding_model_config: saved, embedding_config: { type } }) =>
    saved?.name ??
    (type === MANAGED ? t('Default') : undefined) ??
    (type ? findProduct(type)?.name : undefined) ??
    models?.find((each) => each.type === type)?.title ??
    type ??
    t('Built in');
}

/** Returns the embedding models to choose from. An empty value stands for the installation's own model. */
export function useEmbeddingChoices(): Choice[] {
  const activeModel = useCapabilities()?.models.embedding.model;
  const { data: saved = [] } = useApiQuery('GET /api/v1/embedding-model-configs', {}, CACHED);
  return [
    { value: '', label: activeModel ? t('Default ({model})', { model: activeModel }) : t('Default') },
    ...saved.map(({ id, name }) => ({ value: id, label: name })),
  ];
}

/** Returns the vector stores to choose from. An empty value stands for the managed index. */
export function useSinkChoices(): Choice[] {
  const kind = useKindTitles();
  const { data: sinks = [] } = useApiQuery('GET /api/v1/data-sinks', {}, CACHED);
  return [
    { value: '', label: t('Built-in index') },
    ...sinks.map(({ id, name, sink_type }) => ({ value: id, label: `${name} (${kind(sink_type)})` })),
  ];
}
