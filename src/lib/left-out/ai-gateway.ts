/**
 * Stands in for @ai-sdk/gateway in the Worker (wrangler.toml, [alias]): the AI SDK brings that provider for models
 * named by a text alone. Sluice always hands it a model, so the provider would only weigh.
 */
export class GatewayError extends Error {
  /** The AI SDK asks this of every error it meets; none of them is the gateway's. */
  static isInstance(_error: unknown): boolean {
    return false;
  }
}
export class GatewayAuthenticationError extends GatewayError {}

export function createGateway(): never {
  throw new GatewayError('Models are configured by the operator; a name alone is not enough.');
}

export const gateway = createGateway;
