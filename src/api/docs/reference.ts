/** The page of the API reference; its script and style are the service's own assets (scripts/build.ts). */
export function reference(description: string): string {
  return `<!doctype html>
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
    <script>
      SwaggerUIBundle({
        url: ${JSON.stringify(description)},
        dom_id: '#reference',
        deepLinking: true,
        docExpansion: 'none',
        filter: true,
        persistAuthorization: true,
        validatorUrl: null,
      });
    </script>
  </body>
</html>
`;
}
