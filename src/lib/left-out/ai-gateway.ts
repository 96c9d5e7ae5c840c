/**
 * Replaces @ai-sdk/gateway in the Worker (wrangler.toml, [alias]). The AI SDK needs that provider only for
 * models given by name. Sluice always passes a model, so the provider would only add size.
 */
export class GatewayError extends Error {
  /** The AI SDK calls this for every error. None comes from the gateway. */
  static isInstance(_error: unknown): boolean {
    return false;
  }
}
export class GatewayAuthenticationError extends GatewayError {}

export function createGateway(): never {
  throw new GatewayError('Models are configured by the operator; a name alone is not enough.');
}

export const gateway = createGateway;
