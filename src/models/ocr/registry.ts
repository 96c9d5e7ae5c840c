import type { ModelChoice, ModelDeps } from '#src/models/definition/definition.ts';
import { byKind } from '#src/ports/kind.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { builtin } from './builtin.ts';
import type { OcrSettings } from './settings.ts';
import { vision } from './vision.ts';
import { workersAi } from './workers-ai.ts';

/** Every OCR engine: one line each. */
export const ocrEngines = byKind([builtin, vision, workersAi]);

export type OcrConfig = ModelChoice<keyof typeof ocrEngines>;

/** Which of the two bindings an installation has. */
type Bound = { [Name in keyof ModelDeps['bindings']]?: unknown };

/**
 * The engine that reads scanned pages: the operator's model when one is named for it, else the built-in one,
 * else the chat model; undefined when there is none of them. A model `@cf/…` is the account's Workers AI.
 */
export function ocrChoice(settings: OcrSettings, bound: Bound): OcrConfig | undefined {
  const { OCR_BASE_URL, OCR_MODEL: model } = settings;
  if (model?.startsWith('@cf/') && !OCR_BASE_URL && bound.AI) {
    return { kind: 'workers_ai', settings: { model } };
  }
  if (model || OCR_BASE_URL) return endpoint(settings);
  return bound.OCR_ENGINE ? { kind: 'builtin', settings: {} } : endpoint(settings);
}

/** What is not said for OCR is as for chat. */
function endpoint(settings: OcrSettings): OcrConfig | undefined {
  const base_url = settings.OCR_BASE_URL ?? settings.LLM_BASE_URL;
  const model = settings.OCR_MODEL ?? settings.LLM_MODEL;
  if (!base_url || !model) return undefined;
  // A key is for the endpoint it was given for.
  const shared = base_url === settings.LLM_BASE_URL ? settings.LLM_API_KEY : undefined;
  const api_key = settings.OCR_API_KEY ?? shared;
  return { kind: 'vision', settings: { base_url, model, ...(api_key && { api_key }) } };
}

/** What the configured engine's `id` is, without opening it. */
export function configuredOcrId(settings: OcrSettings, bound: Bound): string | undefined {
  const choice = ocrChoice(settings, bound);
  return choice && ocrEngines[choice.kind].idOf(choice.settings);
}

export function openOcr({ kind, settings }: OcrConfig, deps: ModelDeps): Ocr {
  return ocrEngines[kind].open(settings, deps);
}
