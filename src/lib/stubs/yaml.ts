/** Replaces js-yaml in the Worker (wrangler.toml, [alias]), because the API is described in JSON only. */
export default {
  dump(): never {
    throw new Error('The API description is not available as YAML. Use /openapi.json.');
  },
};
