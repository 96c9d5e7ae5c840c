import { generateText, type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import { type CheckedFields, namingField } from '#src/models/definition/naming-field.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { toDomainError } from '../structured-output/errors.ts';

/** Parts that a stream has although nothing of an answer came. An error tells by itself what went wrong. */
const NOTHING = new Set(['stream-start', 'response-metadata', 'raw']);

const emptyStream = (name: string) =>
  new Upstream(`engine_error: ${name} answered with something that is no stream of a completion.`, {
    retryable: true,
  });

export interface LanguageCapabilities {
  /** Whether the endpoint takes a JSON Schema as the format of its answer. */
  structuredOutput: boolean;
}

/** How long a model may take: seconds without a sign of it, and all in all. */
export interface LanguageLimits {
  silenceSeconds: number;
  totalSeconds: number;
  /** Further attempts at an endpoint that fails briefly. The SDK makes none: it would sleep for as long as it is told. */
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

/** The most that an answer may weigh, all of a stream together. */
export const MOST_BYTES = 16 * 2 ** 20;

/** Where a vendor's API is, up to and without the path of a call. */
export const address = () => z.url({ protocol: /^https?$/ });

/** Of the common kind of vendor: a model's name and a key. */
export const modelName = () => z.string().min(1).max(500);

const CHECK_LIMITS = { silenceSeconds: 30, totalSeconds: 30, retries: 0 };
const FIELDS: CheckedFields = { address: 'base_url', key: 'api_key', model: 'model' };

export function defineLanguageModel<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  settings: Shape;
  capabilities: LanguageCapabilities;
  /** What the settings are called that a failed check names, where they are called otherwise. */
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
 * Fails a stream that ends with neither content nor a reason for its end. The SDK passes over what is no event of the
 * protocol, so a web page, an empty object or an answer that breaks off at once would pass for an empty answer.
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
