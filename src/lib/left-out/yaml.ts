/** Stands in for js-yaml in the Worker (wrangler.toml, [alias]): the API is described in JSON only. */
export default {
  dump(): never {
    throw new Error('The API is described at /openapi.json.');
  },
};
