import { generateText, type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import { type CheckFields, nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { toDomainError } from '../structured-output/errors.ts';

/**
 * Types of stream parts that contain no output. Parts of the type `error` are not included, because they
 * already report what went wrong.
 */
const EMPTY_PARTS = new Set(['stream-start', 'response-metadata', 'raw']);

const createEmptyStreamError = (name: string) =>
  new Upstream(`engine_error: ${name} answered with something other than a stream of a completion.`, {
    retryable: true,
  });

export interface LanguageCapabilities {
  /** True if the endpoint accepts a JSON Schema as the format of its answer. */
  structuredOutput: boolean;
}

/** Time limits for a language model in seconds: the longest time without output, and the total time. */
export interface LanguageLimits {
  silenceSeconds: number;
  totalSeconds: number;
  /**
   * Number of retries after a temporary failure. The SDK's own retries are not used, because they wait as
   * long as the endpoint asks.
   */
  retries: number;
}

export type LanguageDefinition<Kind extends string = string> = ModelDefinition<
  Kind,
  LanguageCapabilities,
  LanguageModel
> & {
  readonly settings: z.ZodObject;
  /**
   * Value of `gen_ai.provider.name` in exported traces: the well-known one of the semantic conventions of OpenTelemetry
   * if there is one.
   */
  readonly telemetryName: string;
  openWithin(settings: unknown, limits: LanguageLimits, deps: ModelDeps): LanguageModel;
};

/** Maximum size of an answer in bytes, including all parts of a stream. */
export const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** Schema of the base URL of a vendor's API, without the path of a call. */
export const address = () => z.url({ protocol: /^https?$/ });

export const modelName = () => z.string().min(1).max(500);

const CHECK_LIMITS = { silenceSeconds: 30, totalSeconds: 30, retries: 0 };
const FIELDS: CheckFields = { address: 'base_url', key: 'api_key', model: 'model' };

export function defineLanguageModel<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  telemetryName: string;
  settings: Shape;
  capabilities: LanguageCapabilities;
  /** Names of the settings in error messages of a model's test, if they differ from the usual names. */
  fields?: Partial<CheckFields>;
  open(settings: z.output<Shape>, limits: LanguageLimits, deps: ModelDeps): LanguageModel;
}) {
  const openWithin = (value: unknown, limits: LanguageLimits, deps: ModelDeps): LanguageModel => {
    const model = driver.open(parseInput(driver.settings, value, ['language']), limits, deps);
    if (typeof model === 'string') return model;
    return wrapLanguageModel({ model, middleware: rejectEmptyStreams(driver.className) });
  };
  const open = (value: unknown, deps: ModelDeps) => openWithin(value, CHECK_LIMITS, deps);
  const fields = { ...FIELDS, ...driver.fields };
  return {
    ...driver,
    openWithin,
    open,
    check: async (value: unknown, deps: ModelDeps) => nameWrongField(testModel(open(value, deps)), fields),
  };
}

async function testModel(model: LanguageModel): Promise<string> {
  try {
    await generateText({ model, prompt: 'Answer with the word yes.', maxOutputTokens: 16, maxRetries: 0 });
    return `${getModelName(model)} answers.`;
  } catch (error) {
    throw toDomainError(error);
  }
}

/**
 * Makes a stream fail if it ends without content and without a finish reason. The SDK ignores unknown events.
 * A web page or an aborted answer would otherwise count as an empty answer.
 */
function rejectEmptyStreams(name: string): LanguageModelMiddleware {
  return {
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      let isAnswered = false;
      const watched = stream.pipeThrough(
        new TransformStream<typeof stream extends ReadableStream<infer Part> ? Part : never>({
          transform(part, controller) {
            if (part.type === 'finish') isAnswered ||= part.finishReason.raw !== undefined;
            else isAnswered ||= !EMPTY_PARTS.has(part.type);
            if (part.type === 'finish' && !isAnswered)
              controller.enqueue({ type: 'error', error: createEmptyStreamError(name) });
            controller.enqueue(part);
          },
        }),
      );
      return { ...rest, stream: watched };
    },
  };
}
