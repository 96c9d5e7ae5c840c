import { useAnswer } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import type { Choice } from '../../ui/field.tsx';

const SELDOM = { staleTime: 60_000 };

const useCapabilities = () => useAnswer('GET /api/v1/capabilities', {}, SELDOM).data;

/** The model of the installation, as a pipeline that names none has it. */
const MANAGED = 'PROVIDER_F_EMBEDDING' satisfies Pipeline['embedding_config']['type'];

/** Whether an index has an embedding model of its own, which no saved one stands for. */
export const hasOwnEmbedding = ({ embedding_model_config_id: saved, embedding_config: { type } }: Pipeline) =>
  !saved && type != null && type !== MANAGED;

/** Names of the kinds of sources and vector stores; a kind that is unknown is its own name. */
export function useKindTitles(): (type: string) => string {
  const known = useCapabilities();
  const titles = [...(known?.data_sources ?? []), ...(known?.data_sinks ?? [])];
  return (type) => titles.find((each) => each.type === type)?.title ?? type;
}

/** Names what embeds the chunks of an index: its saved model, else the kind of model. */
export function useEmbeddingName(): (index: Pipeline) => string {
  const models = useCapabilities()?.embedding_models;
  return ({ embedding_model_config: saved, embedding_config: { type } }) =>
    saved?.name ?? models?.find((each) => each.type === type)?.title ?? type ?? 'Built in';
}

/** Saved embedding models; '' is that of the installation. */
export function useEmbeddingChoices(): Choice[] {
  const inForce = useCapabilities()?.models.embedding.model;
  const { data: saved = [] } = useAnswer('GET /api/v1/embedding-model-configs', {}, SELDOM);
  return [
    { value: '', label: inForce ? `This installation’s (${inForce})` : 'This installation’s' },
    ...saved.map(({ id, name }) => ({ value: id, label: name })),
  ];
}

/** Vector stores; '' is the managed index. */
export function useSinkChoices(): Choice[] {
  const kind = useKindTitles();
  const { data: sinks = [] } = useAnswer('GET /api/v1/data-sinks', {}, SELDOM);
  return [
    { value: '', label: 'In Sluice itself' },
    ...sinks.map(({ id, name, sink_type }) => ({ value: id, label: `${name} (${kind(sink_type)})` })),
  ];
}
