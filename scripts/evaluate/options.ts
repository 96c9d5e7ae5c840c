import { parseArgs } from 'node:util';
import { METRICS, type Metric } from '#src/evaluation/metrics.ts';

export const USAGE = `Starts an evaluation run, waits for its end and prints the means. For continuous integration.

  npm run evaluate -- --set NAME --pipeline NAME --at-least recall@5=.85

  --set NAME               name or id of the question set
  --pipeline NAME          name or id of the pipeline
  --retriever NAME         name or id of a retriever, instead of a pipeline
  --at-least METRIC=VALUE  fails if the mean is lower; can be repeated
  --at-most METRIC=VALUE   fails if the mean is higher, such as latency_ms=300; can be repeated
  --parameters JSON        retrieval parameters, such as '{"rerank_top_n":10}'
  --answer                 also answers the questions and measures the answers
  --project ID             project, if it is not the default project of the key
  --timeout SECONDS        how long to wait for the end of the run (3600)

The variables BASE_URL and SLUICE_API_KEY name the service and the key.`;

export interface Bound {
  metric: Metric;
  /** Whether the mean must be at least the value, or at most. */
  kind: 'at least' | 'at most';
  value: number;
}

export interface Options {
  set: string;
  target: { kind: 'pipeline' | 'retriever'; name: string };
  bounds: Bound[];
  parameters: Record<string, unknown>;
  answer: boolean;
  project: string | undefined;
  timeoutMs: number;
}

/** Error in the options of the command. The message is one sentence for the user. */
export class WrongOptions extends Error {}

/** Parses the arguments of the command. Returns `undefined` if the user asks for help. */
export function parseOptions(args: string[]): Options | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  const { set, pipeline, retriever } = values;
  if (!set) throw new WrongOptions('--set is missing.');
  const name = pipeline ?? retriever;
  if (!name || (pipeline && retriever)) throw new WrongOptions('Give either --pipeline or --retriever.');
  const timeout = Number(values.timeout);
  if (!(timeout > 0)) throw new WrongOptions('--timeout must be a positive number of seconds.');
  return {
    set,
    target: { kind: pipeline ? 'pipeline' : 'retriever', name },
    bounds: [
      ...values['at-least'].map((text) => parseBound('at least', text)),
      ...values['at-most'].map((text) => parseBound('at most', text)),
    ],
    parameters: parseParameters(values.parameters),
    answer: values.answer,
    project: values.project,
    timeoutMs: timeout * 1000,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        set: { type: 'string' },
        pipeline: { type: 'string' },
        retriever: { type: 'string' },
        'at-least': { type: 'string', multiple: true, default: [] },
        'at-most': { type: 'string', multiple: true, default: [] },
        parameters: { type: 'string', default: '{}' },
        answer: { type: 'boolean', default: false },
        project: { type: 'string' },
        timeout: { type: 'string', default: '3600' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new WrongOptions((error as Error).message);
  }
}

function parseBound(kind: Bound['kind'], text: string): Bound {
  const at = text.indexOf('=');
  const metric = METRICS.find((each) => each === text.slice(0, at));
  const value = text.slice(at + 1).trim();
  if (metric && value !== '' && Number.isFinite(Number(value))) return { metric, kind, value: Number(value) };
  throw new WrongOptions(
    `'${text}' is no bound such as recall@5=.85. The measures are ${METRICS.join(', ')}.`,
  );
}

function parseParameters(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // The error below names the option.
  }
  throw new WrongOptions('--parameters must be a JSON object.');
}
