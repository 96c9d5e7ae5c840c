import { generateText, type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import { type CheckedFields, namingField } from '#src/models/definition/naming-field.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { toDomainError } from '../structured-output/errors.ts';

/** Stream parts that carry no content. An error part already says what went wrong. */
const NOTHING = new Set(['stream-start', 'response-metadata', 'raw']);

const emptyStream = (name: string) =>
  new Upstream(`engine_error: ${name} answered with something that is no stream of a completion.`, {
    retryable: true,
  });

export interface LanguageCapabilities {
  /** Whether the endpoint takes a JSON Schema as the format of its answer. */
  structuredOutput: boolean;
}

/** Time limits in seconds: without output, and in total. */
export interface LanguageLimits {
  silenceSeconds: number;
  totalSeconds: number;
  /**
   * Retries after a temporary failure. The SDK makes none, because it would wait as long as the endpoint
   * asks.
   */
  retries: number;
}

export type LanguageDefinition<Kind extends string = string> = ModelDefinition<
  Kind,
  LanguageCapabilities,
  LanguageModel
> & {
  readonly settings: z.ZodObject;
  openWithin(settings: unknown, limits: LanguageLimits, deps: ModelDeps): LanguageModel;
};

/** Maximum bytes of an answer, including all parts of a stream. */
export const MOST_BYTES = 16 * 2 ** 20;

/** Base URL of a vendor's API, without the path of a call. */
export const address = () => z.url({ protocol: /^https?$/ });

/** Common settings of vendors: model name and API key. */
export const modelName = () => z.string().min(1).max(500);

const CHECK_LIMITS = { silenceSeconds: 30, totalSeconds: 30, retries: 0 };
const FIELDS: CheckedFields = { address: 'base_url', key: 'api_key', model: 'model' };

export function defineLanguageModel<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  settings: Shape;
  capabilities: LanguageCapabilities;
  /** Names of settings in check errors, if they differ from the usual ones. */
  fields?: Partial<CheckedFields>;
  open(settings: z.output<Shape>, limits: LanguageLimits, deps: ModelDeps): LanguageModel;
}) {
  const openWithin = (value: unknown, limits: LanguageLimits, deps: ModelDeps): LanguageModel => {
    const model = driver.open(parseInput(driver.settings, value, ['language']), limits, deps);
    if (typeof model === 'string') return model;
    return wrapLanguageModel({ model, middleware: refuseEmptyStreams(driver.className) });
  };
  const open = (value: unknown, deps: ModelDeps) => openWithin(value, CHECK_LIMITS, deps);
  const fields = { ...FIELDS, ...driver.fields };
  return {
    ...driver,
    openWithin,
    open,
    check: async (value: unknown, deps: ModelDeps) => namingField(tryModel(open(value, deps)), fields),
  };
}

async function tryModel(model: LanguageModel): Promise<string> {
  try {
    await generateText({ model, prompt: 'Answer with the word yes.', maxOutputTokens: 16, maxRetries: 0 });
    return `${nameOf(model)} answers.`;
  } catch (error) {
    throw toDomainError(error);
  }
}

/**
 * Fails a stream that ends without content and without a finish reason. The SDK ignores unknown events, so
 * that a web page, an empty object or an aborted answer would otherwise count as an empty answer.
 */
function refuseEmptyStreams(name: string): LanguageModelMiddleware {
  return {
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      let isAnswered = false;
      const watched = stream.pipeThrough(
        new TransformStream<typeof stream extends ReadableStream<infer Part> ? Part : never>({
          transform(part, controller) {
            if (part.type === 'finish') isAnswered ||= part.finishReason.raw !== undefined;
            else isAnswered ||= !NOTHING.has(part.type);
            if (part.type === 'finish' && !isAnswered)
              controller.enqueue({ type: 'error', error: emptyStream(name) });
            controller.enqueue(part);
          },
        }),
      );
      return { ...rest, stream: watched };
    },
  };
}
