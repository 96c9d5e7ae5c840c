/**
 * Replaces @ai-sdk/gateway in the Worker (wrangler.toml, [alias]). The AI SDK needs that provider only for
 * models given by name. Sluice always passes a model, so the provider would only add size.
 */
export class GatewayError extends Error {
  /**
   * Always returns false. The AI SDK calls this function for every error, and no error comes from the
   * gateway.
   */
  static isInstance(_error: unknown): boolean {
    return false;
  }
}
export class GatewayAuthenticationError extends GatewayError {}

export function createGateway(): never {
  throw new GatewayError('A model cannot be used by its name alone. The operator configures the models.');
}

export const gateway = createGateway;
