import { readFileSync } from 'node:fs';
import { Ajv2019, type ErrorObject, type ValidateFunction } from 'ajv/dist/2019.js';
import formats from 'ajv-formats';
import { Normaliser, type Schema } from './schemas.ts';

interface Media {
  schema?: unknown;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  explode?: boolean;
  schema?: Schema;
}
interface Operation {
  parameters?: unknown[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
  security?: Record<string, unknown>[];
}
interface Scheme {
  type: string;
  scheme?: string;
  in?: string;
  name?: string;
}
interface Document {
  info: Schema;
  servers: { url: string }[];
  security?: Record<string, unknown>[];
  paths: Record<string, Record<string, unknown>>;
  components?: { securitySchemes?: Record<string, Scheme> };
}

export interface Arrived {
  method: string;
  /** Path after the server URL, with a leading slash. */
  path: string;
  search: URLSearchParams;
  headers: Record<string, string>;
  text: string;
}

export interface Allowed {
  operation: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** A request that the description does not allow. */
export class NotAllowed extends Error {
  readonly status: number;
  /** Operation of the path, if it was found. */
  readonly operation: string | undefined;
  constructor(status: number, message: string, operation?: string) {
    super(message);
    this.status = status;
    this.operation = operation;
  }
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head'];
const FORM = 'application/x-www-form-urlencoded';
/** Content type of newline-delimited JSON. Its schema describes the list of lines. */
const LINES = 'application/x-ndjson';

interface Route {
  key: string;
  method: string;
  pattern: RegExp;
  parameters: Parameter[];
  operation: Operation;
}

/** Validates requests and answers against the API description of a vendor. */
export class Description {
  readonly document: Document;
  readonly routes: Route[];
  readonly #normaliser: Normaliser;
  readonly #ajv: Ajv2019;
  /** Validator for text values in parameters and forms. */
  readonly #coercing: Ajv2019;
  readonly #compiled = new Map<unknown, ValidateFunction>();

  constructor(name: string) {
    const file = new URL(`../descriptions/${name}.openapi.json`, import.meta.url);
    this.document = JSON.parse(readFileSync(file, 'utf8')) as Document;
    const id = `vendor:${name}`;
    this.#normaliser = new Normaliser(this.document as unknown as Schema, id);
    const components = this.#normaliser.components();
    const createAjv = (coerceTypes: boolean) => {
      const ajv = new Ajv2019({ strict: false, logger: false, coerceTypes, ownProperties: true });
      formats.default(ajv);
      return ajv.addSchema({ $id: id, components });
    };
    this.#ajv = createAjv(false);
    this.#coercing = createAjv(true);
    this.routes = Object.entries(this.document.paths)
      .flatMap(([path, item]) => this.#listRoutes(path, item))
      .sort((a, b) => variablesIn(a.key) - variablesIn(b.key));
  }

  /** Returns the path of a URL below a server of the description, or below `base` if given. */
  matchPath(url: URL, base?: string): string | undefined {
    const bases = base ? [base] : this.document.servers.map((server) => server.url);
    const at = url.origin + url.pathname;
    for (const each of bases) {
      const pattern = buildPattern(each.replace(/\/+$/, ''), '[^/]+?');
      const found = new RegExp(`^${pattern}(/.*)?$`).exec(at);
      if (found) return found.at(-1) ?? '/';
    }
    return undefined;
  }

  /** Validates a request. Throws NotAllowed. */
  allow(request: Arrived): Allowed {
    const { route, params } = this.#findRoute(request);
    const refuse = (status: number, message: string) => new NotAllowed(status, message, route.key);
    const query = this.#parseQuery(route, request);
    const problem =
      this.#missingCredential(route.operation, request) ??
      this.#wrongParameter(route, 'path', params) ??
      this.#wrongParameter(route, 'header', request.headers);
    if (problem) throw refuse(problem.status, problem.message);
    return { operation: route.key, params, query, body: this.#checkBody(route, request, refuse) };
  }

  /**
   * Returns the problem of an answer, or `undefined` if it is valid. `parts` is its JSON, or the JSON of each
   * event.
   */
  wrongAnswer(key: string, status: number, contentType: string | undefined, parts: unknown[]) {
    const route = this.routes.find((each) => each.key === key)!;
    const { responses } = route.operation;
    const said = responses[status] ?? responses[`${Math.trunc(status / 100)}XX`] ?? responses.default;
    // Vendors describe few errors, so undescribed errors are accepted.
    if (!said) return status >= 400 ? undefined : `${key} never answers ${status}`;
    const { content } = this.#deref<{ content?: Record<string, Media> }>(said);
    if (!content) return undefined;
    const type = Object.keys(content).find((each) => sameType(each, contentType));
    if (!type) return status >= 400 ? undefined : `${key} never answers with ${contentType}`;
    for (const part of parts) {
      const wrong = this.#wrong(this.#ajv, content[type]!.schema, part);
      if (wrong) return `${key} never answers ${status} with this: ${wrong}`;
    }
    return undefined;
  }

  #listRoutes(path: string, item: Record<string, unknown>): Route[] {
    const shared = (item.parameters ?? []) as unknown[];
    return METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method] as Operation;
      const parameters = [...shared, ...(operation.parameters ?? [])].map((each) =>
        this.#deref<Parameter>(each),
      );
      const pattern = new RegExp(`^${buildPattern(path, '[^/]+?')}$`);
      return {
        key: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        pattern,
        parameters,
        operation,
      };
    });
  }

  #findRoute({ method, path }: Arrived) {
    const fitting = this.routes.filter(({ pattern }) => pattern.test(path));
    if (fitting.length === 0) throw new NotAllowed(404, `no such path: ${path}`);
    const route = fitting.find((each) => each.method === method);
    if (!route) throw new NotAllowed(405, `not with ${method}: ${path}`);
    const names = [...route.key.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
    const values = route.pattern.exec(path)!.slice(1);
    const params = Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at]!)]));
    return { route, params };
  }

  #parseQuery(route: Route, { search }: Arrived): Record<string, string> {
    const known = route.parameters.filter((each) => each.in === 'query');
    const credentials = this.#schemes(route.operation).flatMap((scheme) =>
      scheme.in === 'query' ? [scheme.name] : [],
    );
    for (const name of new Set(search.keys())) {
      const parameter = known.find((each) => each.name === name);
      if (!parameter && !credentials.includes(name)) {
        throw new NotAllowed(400, `no such query parameter: ${name}`, route.key);
      }
      if (search.getAll(name).length > 1 && getSchemaType(parameter) !== 'array') {
        throw new NotAllowed(400, `more than one query parameter ${name}`, route.key);
      }
    }
    const query = Object.fromEntries(search);
    for (const parameter of known) {
      const given = search.getAll(parameter.name);
      const value = getSchemaType(parameter) === 'array' ? splitList(parameter, given) : given[0];
      const wrong = this.#wrongValue(parameter, given.length > 0 ? value : undefined);
      if (wrong) throw new NotAllowed(400, wrong, route.key);
    }
    return query;
  }

  #wrongParameter({ parameters }: Route, place: 'path' | 'header', values: Record<string, string>) {
    for (const parameter of parameters) {
      if (parameter.in !== place) continue;
      const name = place === 'header' ? parameter.name.toLowerCase() : parameter.name;
      const message = this.#wrongValue(parameter, values[name]);
      if (message) return { status: 400, message };
    }
    return undefined;
  }

  #wrongValue({ in: place, name, required, schema }: Parameter, value: unknown): string | undefined {
    if (value === undefined) return required ? `no ${place} parameter ${name}` : undefined;
    const wrong = schema && this.#wrong(this.#coercing, schema, value);
    return wrong ? `${place} parameter ${name}: ${wrong}` : undefined;
  }

  #schemes(operation: Operation): Scheme[] {
    const schemes = this.document.components?.securitySchemes ?? {};
    return this.#alternatives(operation).flatMap((each) => Object.keys(each).map((name) => schemes[name]!));
  }

  #alternatives({ security }: Operation): Record<string, unknown>[] {
    return security ?? this.document.security ?? [];
  }

  #missingCredential(operation: Operation, request: Arrived) {
    const schemes = this.document.components?.securitySchemes ?? {};
    const alternatives = this.#alternatives(operation);
    const isThere = (name: string) => hasCredential(schemes[name]!, request);
    if (alternatives.length === 0 || alternatives.some((each) => Object.keys(each).every(isThere)))
      return undefined;
    const wanted = alternatives.map((each) => Object.keys(each).join(' and ')).join(', or ');
    return { status: 401, message: `no credentials: ${wanted}` };
  }

  #checkBody(
    { operation }: Route,
    { headers, text }: Arrived,
    refuse: (status: number, message: string) => NotAllowed,
  ) {
    if (!operation.requestBody) {
      if (text !== '') throw refuse(400, 'there is no body in this operation');
      return undefined;
    }
    const { required, content } = this.#deref<{ required?: boolean; content: Record<string, Media> }>(
      operation.requestBody,
    );
    if (text === '') {
      if (required) throw refuse(400, 'no body');
      return undefined;
    }
    const type = Object.keys(content).find((each) => sameType(each, headers['content-type']));
    if (!type) throw refuse(415, `not with the content type ${headers['content-type']}`);
    const { schema } = content[type]!;
    if (type === FORM) {
      const form = Object.fromEntries(new URLSearchParams(text));
      const wrong = this.#wrong(this.#coercing, schema, { ...form });
      if (wrong) throw refuse(400, `body: ${wrong}`);
      return form;
    }
    if (!type.includes('json')) return text;
    const body = type === LINES ? parsedLines(text) : parsed(text);
    if (body === undefined) throw refuse(400, 'the body is not JSON');
    const wrong = this.#wrong(this.#ajv, schema, body);
    if (wrong) throw refuse(400, `body: ${wrong}`);
    return body;
  }

  #wrong(ajv: Ajv2019, schema: unknown, value: unknown): string | undefined {
    if (schema === undefined) return undefined;
    let validate = this.#compiled.get(schema);
    if (!validate) {
      validate = ajv.compile(this.#normaliser.use(schema) as object);
      this.#compiled.set(schema, validate);
    }
    // Coercion replaces members of the object that contains the value.
    return validate(value) ? undefined : (validate.errors ?? []).slice(0, 4).map(told).join('; ');
  }

  #deref<T>(value: unknown): T {
    const { $ref } = value as { $ref?: string };
    return ($ref ? this.#normaliser.resolve($ref) : value) as T;
  }
}

const told = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || 'all of it'} ${message} ${JSON.stringify(params)}`;

const variablesIn = (key: string) => key.split('{').length;

const getSchemaType = (parameter: Parameter | undefined) => parameter?.schema?.type;

const splitList = ({ explode = true }: Parameter, given: string[]) =>
  explode ? given : given.flatMap((each) => each.split(','));

/**
 * Converts a path template to a pattern with a group per variable. `{+name}` matches several segments, as in
 * RFC 6570.
 */
function buildPattern(template: string, variable: string): string {
  return template
    .split(/(\{[^}]+\})/)
    .map((part, index) => {
      if (index % 2 === 1) return part.startsWith('{+') ? '(.+?)' : `(${variable})`;
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
}

const sameType = (described: string, given: string | undefined) =>
  described === '*/*' || described.split(';')[0] === given?.split(';')[0]?.trim();

function hasCredential({ type, scheme, in: place, name }: Scheme, { headers, search }: Arrived): boolean {
  if (type === 'apiKey') return Boolean(place === 'query' ? search.get(name!) : headers[name!.toLowerCase()]);
  const [given, value] = (headers.authorization ?? '').split(' ');
  const wanted = type === 'http' ? scheme : 'bearer';
  return given?.toLowerCase() === wanted && Boolean(value);
}

function parsedLines(text: string): unknown[] | undefined {
  const lines = text.replace(/\n$/, '').split('\n').map(parsed);
  return lines.includes(undefined) ? undefined : lines;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
