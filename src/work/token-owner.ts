/** Identifies a cached access token by the id of the data source and the name of the token. */
export interface TokenKey {
  dataSourceId: string;
  name: string;
  /**
   * Fingerprint of the data source's settings with which the token was requested. Callers with other settings
   * do not receive the token.
   */
  fingerprint: string;
}

export type TokenGrant =
  | { state: 'fresh'; token: string; until: number }
  /**
   * Permission to request a new token. No other caller receives it meanwhile. The caller reports the result
   * with the id in `lease`.
   */
  | { state: 'refresh'; lease: string }
  | { state: 'wait' };

/**
 * Cache of access tokens in a pipeline's owner. All consumers that read the pipeline's data sources share it.
 */
export interface TokenOwner {
  takeToken(key: TokenKey): Promise<TokenGrant>;
  /**
   * Stores an access token until the given time in milliseconds since 1970. Does nothing if the lease has
   * ended.
   */
  keepToken(key: TokenKey, lease: string, token: string, until: number): Promise<void>;
  /** Reports that requesting a token failed, so that another caller may try. */
  abandonToken(key: TokenKey, lease: string): Promise<void>;
  /** Removes an access token that the data source rejected. A newer token is kept. */
  dropToken(key: TokenKey, token: string): Promise<void>;
  /**
   * Removes all access tokens of a data source. Called when its settings change or it leaves the pipeline.
   */
  forgetTokens(dataSourceId: string): Promise<void>;
}
