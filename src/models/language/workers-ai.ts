import { wrapLanguageModel } from 'ai';
import { createWorkersAI } from 'workers-ai-provider';
import { z } from 'zod';
import { Unavailable } from '#src/lib/errors.ts';
import { leavingHintsOut } from '../structured-output/schema-hint.ts';
import { defineLanguageModel, modelName } from './definition.ts';
import { withinLimits } from './within-limits.ts';

/** What answers where the account's Workers AI is bound and no other model is configured: 131,000 tokens of context. */
export const DEFAULT_WORKERS_AI_MODEL = '@cf/meta/llama-4-scout-17b-16e-instruct';

/** A text model of the account's Workers AI, by its binding. */
export const workersAi = defineLanguageModel({
  kind: 'workers_ai',
  className: 'WorkersAI',
  settings: z.object({ model: modelName() }),
  capabilities: { structuredOutput: true },
  open({ model }, limits, { bindings: { AI } }) {
    if (!AI) throw new Unavailable(`Workers AI is not bound here, and ${model} is a model of it.`);
    const provider = createWorkersAI({ binding: AI as unknown as Ai });
    return wrapLanguageModel({
      model: provider(model),
      middleware: [leavingHintsOut, withinLimits(`workers-ai/${model}`, limits)],
    });
  },
});
