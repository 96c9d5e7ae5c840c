import { parseArgs } from 'node:util';
import { METRICS, type Metric } from '#src/evaluation/metrics.ts';
import { WrongOptions } from '../evaluate/options.ts';

export const USAGE = `Searches for better retrieval settings of a pipeline by successive halving.

  npm run tune -- --set NAME --pipeline NAME

  --set NAME          name or id of the question set
  --pipeline NAME     name or id of the pipeline
  --metric METRIC     measure to improve (ndcg@10)
  --alpha LIST        weights of dense search to try (0,0.25,0.5,0.75,1)
  --reranking LIST    whether to rerank: on, off or both (on,off)
  --chunk-sizes LIST  chunk sizes to try, such as 256,512; each is indexed in a copy of the pipeline
  --budget NUMBER     maximum number of searches (2000)
  --save NAME         saves the best parameters as a retrieval preset if they are clearly better
  --keep              keeps the copies of the pipeline
  --project ID        project, if it is not the default project of the key
  --timeout SECONDS   how long to wait for each run and each copy (3600)

The variables BASE_URL and SLUICE_API_KEY name the service and the key.`;

export interface Options {
  set: string;
  pipeline: string;
  metric: Metric;
  alphas: number[];
  reranking: boolean[];
  chunkSizes: number[];
  budget: number;
  save: string | undefined;
  keep: boolean;
  project: string | undefined;
  timeoutMs: number;
}

/** Parses the arguments of the command. Returns `undefined` if the user asks for help. */
export function parseOptions(args: string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  if (!values.set) throw new WrongOptions('--set is missing.');
  if (!values.pipeline) throw new WrongOptions('--pipeline is missing.');
  const metric = METRICS.find((each) => each === values.metric);
  if (!metric) throw new WrongOptions(`--metric must be one of ${METRICS.join(', ')}.`);
  const [budget] = parseNumbers('--budget', values.budget, isCount);
  const [timeout] = parseNumbers('--timeout', values.timeout, (each) => each > 0);
  return {
    set: values.set,
    pipeline: values.pipeline,
    metric,
    alphas: parseNumbers('--alpha', values.alpha, (each) => each >= 0 && each <= 1),
    reranking: values.reranking.split(',').map(parseSwitch),
    chunkSizes: values['chunk-sizes'] ? parseNumbers('--chunk-sizes', values['chunk-sizes'], isCount) : [],
    budget: budget!,
    save: values.save,
    keep: values.keep,
    project: values.project,
    timeoutMs: timeout! * 1000,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        set: { type: 'string' },
        pipeline: { type: 'string' },
        metric: { type: 'string', default: 'ndcg@10' },
        alpha: { type: 'string', default: '0,0.25,0.5,0.75,1' },
        reranking: { type: 'string', default: 'on,off' },
        'chunk-sizes': { type: 'string' },
        budget: { type: 'string', default: '2000' },
        save: { type: 'string' },
        keep: { type: 'boolean', default: false },
        project: { type: 'string' },
        timeout: { type: 'string', default: '3600' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new WrongOptions((error as Error).message);
  }
}

const isCount = (value: number) => Number.isInteger(value) && value > 0;

function parseNumbers(option: string, text: string, isAllowed: (value: number) => boolean): number[] {
  return text.split(',').map((part) => {
    const value = Number(part);
    if (part.trim() === '' || !isAllowed(value)) {
      throw new WrongOptions(`'${part}' is not allowed in ${option}.`);
    }
    return value;
  });
}

function parseSwitch(word: string): boolean {
  if (word !== 'on' && word !== 'off') throw new WrongOptions('--reranking must be on, off or on,off.');
  return word === 'on';
}
