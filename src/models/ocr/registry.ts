import type { ModelChoice, ModelDeps } from '#src/models/definition/definition.ts';
import { indexByKind } from '#src/ports/kind.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { builtin } from './builtin.ts';
import type { OcrSettings } from './settings.ts';
import { vision } from './vision.ts';
import { workersAi } from './workers-ai.ts';

export const ocrEngines = indexByKind([builtin, vision, workersAi]);

export type OcrConfig = ModelChoice<keyof typeof ocrEngines>;

/** Bindings of the Worker, of which only the presence matters here. */
type Bound = { [Name in keyof ModelDeps['bindings']]?: unknown };

/**
 * Returns the OCR engine for scanned pages: the operator's OCR model, otherwise the built-in engine,
 * otherwise the chat model. Returns `undefined` if there is none. A model named `@cf/…` is run by the
 * account's Workers AI.
 */
export function chooseOcr(settings: OcrSettings, bound: Bound): OcrConfig | undefined {
  const { OCR_BASE_URL, OCR_MODEL: model } = settings;
  if (model?.startsWith('@cf/') && !OCR_BASE_URL && bound.AI) {
    return { kind: 'workers_ai', settings: { model } };
  }
  if (model || OCR_BASE_URL) return getEndpointConfig(settings);
  return bound.OCR_ENGINE ? { kind: 'builtin', settings: {} } : getEndpointConfig(settings);
}

/**
 * Returns the settings of the OCR endpoint. Settings that are missing for OCR are taken from the chat model.
 */
function getEndpointConfig(settings: OcrSettings): OcrConfig | undefined {
  const base_url = settings.OCR_BASE_URL ?? settings.LLM_BASE_URL;
  const model = settings.OCR_MODEL ?? settings.LLM_MODEL;
  if (!base_url || !model) return undefined;
  // The chat model's key is only used if OCR has the same endpoint. A key must not be sent to another
  // endpoint.
  const shared = base_url === settings.LLM_BASE_URL ? settings.LLM_API_KEY : undefined;
  const api_key = settings.OCR_API_KEY ?? shared;
  return { kind: 'vision', settings: { base_url, model, ...(api_key && { api_key }) } };
}

/**
 * Returns the id of the configured OCR engine without opening it. Returns `undefined` if there is no engine.
 */
export function getConfiguredOcrId(settings: OcrSettings, bound: Bound): string | undefined {
  const choice = chooseOcr(settings, bound);
  return choice && ocrEngines[choice.kind].getId(choice.settings);
}

export function openOcr({ kind, settings }: OcrConfig, deps: ModelDeps): Ocr {
  return ocrEngines[kind].open(settings, deps);
}
