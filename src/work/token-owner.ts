/** Which token: of a data source, under the name that its reader gave it. */
export interface TokenKey {
  dataSourceId: string;
  name: string;
  /** Of the settings that it was fetched with: no other settings get it. */
  fingerprint: string;
}

export type TokenGrant =
  | { state: 'fresh'; token: string; until: number }
  /** The caller alone is to fetch a new one, and to say under `lease` how that went. */
  | { state: 'refresh'; lease: string }
  /** Another caller is fetching it. */
  | { state: 'wait' };

/** What the owner of a pipeline keeps of tokens for all consumers that read its data sources. */
export interface TokenOwner {
  takeToken(key: TokenKey): Promise<TokenGrant>;
  /** `until` it is given out: milliseconds since 1970. Nothing is kept when the lease is over. */
  keepToken(key: TokenKey, lease: string, token: string, until: number): Promise<void>;
  /** It could not be fetched: somebody else may try. */
  abandonToken(key: TokenKey, lease: string): Promise<void>;
  /** The token was refused. One that replaced it stays. */
  dropToken(key: TokenKey, token: string): Promise<void>;
  /** The data source has other settings, or has left the pipeline. */
  forgetTokens(dataSourceId: string): Promise<void>;
}
