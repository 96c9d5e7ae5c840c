/** Identifies a cached access token by data source id and token name. */
export interface TokenKey {
  dataSourceId: string;
  name: string;
  /**
   * Fingerprint of the settings with which the token was fetched. Callers with other settings do not receive
   * the token.
   */
  fingerprint: string;
}

export type TokenGrant =
  | { state: 'fresh'; token: string; until: number }
  /** Only this caller may fetch a new token. It reports the result under `lease`. */
  | { state: 'refresh'; lease: string }
  | { state: 'wait' };

/** Token cache of a pipeline's owner, for all consumers that read its data sources. */
export interface TokenOwner {
  takeToken(key: TokenKey): Promise<TokenGrant>;
  /** Stores a token until a time in milliseconds since 1970. Does nothing if the lease has ended. */
  keepToken(key: TokenKey, lease: string, token: string, until: number): Promise<void>;
  /** Reports that no token could be fetched, so that another caller may try. */
  abandonToken(key: TokenKey, lease: string): Promise<void>;
  /** Removes a token that the source rejected. A newer token stays. */
  dropToken(key: TokenKey, token: string): Promise<void>;
  /** Removes all tokens of a data source whose settings changed or that left the pipeline. */
  forgetTokens(dataSourceId: string): Promise<void>;
}
