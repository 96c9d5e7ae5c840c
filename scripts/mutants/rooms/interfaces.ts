import { type MutantRoom, moduleRoom, serviceRoom } from './define.ts';

/** Rules of the HTTP interfaces and the console, and of the helpers that all rooms use. */
export const INTERFACE_ROOMS = {
  requests: serviceRoom(
    ['src/api/http/!(auth).ts', 'src/api/operation/*.ts', 'src/app.ts', 'src/lib/error-help.ts'],
    [
      'test/api/{bad-input,client-address,frame,invalid-details,list-operations}.test.ts',
      'test/api/{expand,stream-list,warnings}.test.ts',
    ],
  ),
  'API description': serviceRoom(
    ['src/api/{examples,openapi}/describe*.ts'],
    ['test/api/description.test.ts'],
  ),
  'client interface': serviceRoom(
    ['src/api/compat/*.ts', 'src/api/compat/{parse,shared}/*.ts'],
    ['test/api/compat/{connections,description,parse-results,pipelines,stand-ins}.test.ts'],
  ),
  'earlier client interface': serviceRoom(
    ['src/api/compat/legacy-*/*.ts'],
    [
      'test/api/compat/{client-fields-without-effect,legacy-extraction}.test.ts',
      'test/api/{parse-pdf,structured-output}.test.ts',
    ],
  ),
  'client words': moduleRoom(['src/vocabulary/*.ts'], ['test/vocabulary/*.test.ts']),
  'OpenAI interface': serviceRoom(['src/api/openai/*.ts'], ['test/api/openai/*.test.ts']),
  'MCP interface': serviceRoom(['src/api/mcp/**/*.ts'], ['test/api/mcp/*.test.ts']),

  console: moduleRoom(['console/src/ui/format.ts'], ['test/console/*.test.ts']),
  bucket: moduleRoom(
    ['src/bucket/{content-disposition,media-type,r2-signature}.ts'],
    ['test/bucket/*.test.ts'],
  ),
  metrics: moduleRoom(['src/metrics/!(table).ts'], ['test/metrics/{flush,text}.test.ts']),
  lib: moduleRoom(
    [
      'src/lib/{base-url,cursor,errors,extremes,ids,log,token-buckets,trace}.ts',
      'src/lib/{async/in-pieces,json/json-extent}.ts',
      'src/lib/schema/!(operation-marks).ts',
      'src/lib/secrets/!(api-key|hmac|uuid).ts',
      'src/lib/text/!(fence|page-ranges|target-pages|words).ts',
    ],
    [
      'test/lib/*.test.ts',
      'test/lib/{async,json,schema,secrets}/*.test.ts',
      'test/lib/text/!(page-ranges).test.ts',
    ],
  ),
} satisfies Record<string, MutantRoom>;
