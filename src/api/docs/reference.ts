import { OWN_ORIGIN_ONLY, type PagePolicy } from '#src/api/http/page-headers.ts';

/** Page of the API reference. Its scripts and styles are static assets that scripts/build.ts creates. */
export const REFERENCE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Sluice API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const { 'require-trusted-types-for': _, 'trusted-types': __, ...policy } = OWN_ORIGIN_ONLY;

/** Trusted Types are not required, because Swagger UI inserts markup without a Trusted Types policy. */
export const REFERENCE_POLICY: PagePolicy = policy;
