/** What wrangler.toml binds (`npm run types`). */
export type Bindings = GeneratedBindings;
