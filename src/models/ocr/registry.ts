import { builtinOcr, type OcrEngineBinding } from './builtin.ts';
import type { Ocr } from './ocr.ts';
import type { OcrSettings } from './settings.ts';
import { visionOcr } from './vision.ts';
import { type AiBinding, workersAiOcr } from './workers-ai.ts';

/** What can be bound to read pages with. */
export interface OcrBindings {
  AI?: AiBinding;
  OCR_ENGINE?: OcrEngineBinding;
}

/**
 * The engine that reads scanned pages: the operator's model when one is named for it, else the built-in one,
 * else the chat model; undefined when there is none of them. A model `@cf/…` is the account's Workers AI.
 */
export function configuredOcr(settings: OcrSettings, env: OcrBindings): Ocr | undefined {
  const { OCR_BASE_URL, OCR_MODEL } = settings;
  if (OCR_MODEL?.startsWith('@cf/') && !OCR_BASE_URL && env.AI) return workersAiOcr(env.AI, OCR_MODEL);
  if (OCR_MODEL || OCR_BASE_URL) return endpoint(settings);
  return env.OCR_ENGINE ? builtinOcr(env.OCR_ENGINE) : endpoint(settings);
}

/** What is not said for OCR is as for chat. */
function endpoint(settings: OcrSettings): Ocr | undefined {
  const baseURL = settings.OCR_BASE_URL ?? settings.LLM_BASE_URL;
  const model = settings.OCR_MODEL ?? settings.LLM_MODEL;
  if (!baseURL || !model) return undefined;
  // A key is for the endpoint it was given for.
  const shared = baseURL === settings.LLM_BASE_URL ? settings.LLM_API_KEY : undefined;
  return visionOcr({ baseURL, model, apiKey: settings.OCR_API_KEY ?? shared });
}
