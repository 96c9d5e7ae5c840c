import { DomainError } from '#src/lib/errors.ts';

/** Advice for the resources of OpenAI's API that this service does not have, by the first part of their path. */
const INSTEAD: Record<string, string> = {
  assistants: 'Send questions to `/v1/chat/completions` or `/v1/responses`; the pipeline is the `model`.',
  audio: 'Upload recordings as text. This service neither hears nor speaks.',
  batches:
    'Send the requests one by one, or use `/api/v2/batches` for extraction, classification and parsing.',
  completions: 'Send the prompt as a message to `/v1/chat/completions`.',
  containers: 'Offer a tool to the language model, and run its code yourself.',
  conversations: "Send the whole conversation with each request. Sluice's own chat stores sessions.",
  evals: 'Use `/api/v1/evaluations`, which evaluates pipelines and retrievers.',
  fine_tuning: 'Sluice trains no models. Documents are searched as soon as a pipeline has indexed them.',
  images: 'Sluice makes no pictures.',
  moderations: 'Ask the service whose language model you use.',
  realtime: 'Send questions to `/v1/chat/completions` with `stream`.',
  responses: 'Responses are answered while the client waits, and are neither cancelled nor compacted.',
  threads: 'Send the whole conversation with each request to `/v1/chat/completions` or `/v1/responses`.',
  uploads: 'Upload the whole file with `POST /v1/files`.',
};

/** Error for a path of this protocol without an operation. The message says what to use instead, if there is something. */
export function createMissingRoute(method: string, path: string): DomainError {
  const [, , , resource = ''] = path.split('/');
  const instead = Object.hasOwn(INSTEAD, resource) ? ` ${INSTEAD[resource]}` : '';
  return new DomainError('not_found', `${method} ${path} not found.${instead}`);
}
