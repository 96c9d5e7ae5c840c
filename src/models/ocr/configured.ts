import { createLogger } from '#src/lib/log.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { createOperatorDeps } from '#src/models/definition/deps.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { chooseOcr, openOcr } from './registry.ts';
import type { OcrSettings } from './settings.ts';

/**
 * Opens the OCR engine that the operator configured. Only settings and bindings are needed. Returns
 * `undefined` if no engine is available.
 */
export function openConfiguredOcr(
  settings: OcrSettings,
  bindings: ModelDeps['bindings'],
  log = createLogger({}, settings.LOG_LEVEL),
): Ocr | undefined {
  const choice = chooseOcr(settings, bindings);
  return choice && openOcr(choice, createOperatorDeps({ settings, bindings, log }));
}
