import type OcrService from '#ocr/worker.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { UpstreamHttp, UpstreamRules } from '#src/upstream/http.ts';

/** Part of the Workers AI binding that drivers use. The binding exists only in a deployment. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

export type ModelRules = Omit<UpstreamRules, 'settings' | 'trusted'>;

/** Dependencies of a driver besides its settings. */
export interface ModelDeps {
  /**
   * Returns the HTTP client; drivers use no other fetch. Addresses set by the operator may be private, and
   * those of a tenant's component may not.
   */
  http(rules: ModelRules): UpstreamHttp;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  bindings: { AI?: AiBinding | undefined; OCR_ENGINE?: Pick<OcrService, 'recognise'> | undefined };
}

/** Kind and unchecked settings of a model to open. */
export interface ModelChoice<Kind extends string> {
  kind: Kind;
  settings: Record<string, unknown>;
}

/** Definition of a model driver, with everything that the rest of the service knows about it. */
export interface ModelDefinition<Kind extends string, Capabilities, Port> {
  readonly kind: Kind;
  /** Name of such a model in other systems of this field. */
  readonly className: string;
  readonly capabilities: Capabilities;
  /** Throws Invalid, which names the field, when the settings are not this driver's. */
  open(settings: unknown, deps: ModelDeps): Port;
  /** Tests the model with one small call and describes the answer. Rejects with a DomainError. */
  check(settings: unknown, deps: ModelDeps): Promise<string>;
}
