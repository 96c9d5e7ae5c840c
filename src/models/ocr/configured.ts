import { createLogger } from '#src/lib/log.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { operatorDeps } from '#src/models/definition/deps.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { ocrChoice, openOcr } from './registry.ts';
import type { OcrSettings } from './settings.ts';

/** The operator's OCR engine, for whoever has settings and bindings but no context; undefined when there is none. */
export function configuredOcr(
  settings: OcrSettings,
  bindings: ModelDeps['bindings'],
  log = createLogger({}, settings.LOG_LEVEL),
): Ocr | undefined {
  const choice = ocrChoice(settings, bindings);
  return choice && openOcr(choice, operatorDeps({ settings, bindings, log }));
}
