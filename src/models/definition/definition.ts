import type OcrService from '#ocr/worker.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings/settings.ts';
import type { UpstreamHttp, UpstreamRules } from '#src/upstream/http.ts';

/**
 * Part of the Workers AI binding that drivers of models use. The binding only exists in deployments on
 * Cloudflare.
 */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

export type ModelRules = Omit<UpstreamRules, 'settings' | 'trusted'>;

/** Dependencies of a model driver in addition to its settings. */
export interface ModelDeps {
  /**
   * Returns the HTTP client for the requests of a driver. Addresses set by the operator may be private, and
   * addresses set by a tenant must be public.
   */
  http(rules: ModelRules): UpstreamHttp;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>;
  bindings: { AI?: AiBinding | undefined; OCR_ENGINE?: Pick<OcrService, 'recognise'> | undefined };
}

/** The kind of a model with its settings, which are not validated yet. */
export interface ModelChoice<Kind extends string> {
  kind: Kind;
  settings: Record<string, unknown>;
}

/** Definition of one kind of model: its settings, abilities and driver. */
export interface ModelDefinition<Kind extends string, Capabilities, Port> {
  readonly kind: Kind;
  /** Name of the class in LlamaIndex that represents this kind of model. */
  readonly className: string;
  readonly capabilities: Capabilities;
  /** Opens the model. Throws `Invalid` with the wrong field if the settings do not fit this driver. */
  open(settings: unknown, deps: ModelDeps): Port;
  /**
   * Tests the model with one small call and returns a description of its answer. Rejects with a `DomainError`
   * if the test fails.
   */
  check(settings: unknown, deps: ModelDeps): Promise<string>;
}
