import type OcrService from '#ocr/worker.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { UpstreamHttp, UpstreamRules } from '#src/upstream/http.ts';

/** The part of the Workers AI binding that drivers use. The binding exists only when deployed. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

export type ModelRules = Omit<UpstreamRules, 'settings' | 'trusted'>;

/** What a driver gets besides its own settings. */
export interface ModelDeps {
  /**
   * The one way out: a driver calls no other fetch. Whether private addresses may be called is not the driver's to
   * say: those that the operator has set may, those of a tenant's component may not.
   */
  http(rules: ModelRules): UpstreamHttp;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  bindings: { AI?: AiBinding | undefined; OCR_ENGINE?: Pick<OcrService, 'recognise'> | undefined };
}

/** What names a model that is to be opened: the driver's kind and settings that it will check. */
export interface ModelChoice<Kind extends string> {
  kind: Kind;
  settings: Record<string, unknown>;
}

/** One driver of a model port: all that the rest of the service knows about it. */
export interface ModelDefinition<Kind extends string, Capabilities, Port> {
  readonly kind: Kind;
  /** What other systems of this field call such a model. */
  readonly className: string;
  readonly capabilities: Capabilities;
  /** Throws Invalid, which names the field, when the settings are not this driver's. */
  open(settings: unknown, deps: ModelDeps): Port;
  /** Tries the model with one small call and says how it answered; rejects with a DomainError. */
  check(settings: unknown, deps: ModelDeps): Promise<string>;
}
