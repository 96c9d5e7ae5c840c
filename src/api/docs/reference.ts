import { OWN_ORIGIN_ONLY, type PagePolicy } from '#src/api/http/page-headers.ts';

/** The page of the API reference; its scripts and style are the service's own assets (scripts/build.ts). */
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

/** The interface sets markup of its own that no policy of Trusted Types makes. */
export const REFERENCE_POLICY: PagePolicy = policy;
