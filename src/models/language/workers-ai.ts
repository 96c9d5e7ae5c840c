import { wrapLanguageModel } from 'ai';
import { createWorkersAI } from 'workers-ai-provider';
import { z } from 'zod';
import { Unavailable } from '#src/lib/errors.ts';
import { removeSchemaHints } from '../structured-output/schema-hint.ts';
import { defineLanguageModel, modelName } from './definition.ts';
import { limitModel } from './limit-model.ts';

/**
 * Default language model if Workers AI is bound and no other model is configured. Its context length is
 * 131,000 tokens.
 */
export const DEFAULT_WORKERS_AI_MODEL = '@cf/meta/llama-4-scout-17b-16e-instruct';

export const workersAi = defineLanguageModel({
  kind: 'workers_ai',
  className: 'WorkersAI',
  telemetryName: 'cloudflare.workers_ai',
  settings: z.object({ model: modelName() }),
  capabilities: { structuredOutput: true },
  open({ model }, limits, { bindings: { AI } }) {
    if (!AI)
      throw new Unavailable(`The model ${model} needs Workers AI, but the Workers AI binding is missing.`);
    const provider = createWorkersAI({ binding: AI as unknown as Ai });
    return wrapLanguageModel({
      model: provider(model),
      middleware: [removeSchemaHints, limitModel(`workers-ai/${model}`, limits)],
    });
  },
});
