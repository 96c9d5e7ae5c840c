import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ApiScope } from '#src/db/schema/index.ts';
import { operation } from './endpoint.ts';
import type { ErrorStatus } from './error-responses.ts';
import type { Access, Body, Exchange, HandlerInput, Operation, SentJson } from './operation-types.ts';
import { buildPageSchema } from './schemas.ts';
import type { Tag } from './tags.ts';

type TenantAccess = Exclude<Access, 'public'>;
type Params = z.ZodObject | undefined;
type Query = z.ZodObject | undefined;

/** Path of a collection or of a single item, with the access that its operations require. */
interface Location<Path extends string, P extends Params> {
  /**
   * Name of the resource in summaries, such as "data sinks" for a collection or "a data sink" for an item.
   */
  name: string;
  path: Path;
  params?: P;
  access: TenantAccess;
}

/** Settings that the standard operations of a resource share, such as its paths and schemas. */
interface Resource<
  Path extends string,
  P extends Params,
  ItemPath extends string,
  ItemP extends Params,
  Item extends z.ZodType,
  Row,
> {
  tag: Tag;
  collection: Location<Path, P>;
  item: Location<ItemPath, ItemP>;
  /** Schema of one item in responses. */
  body: Item;
  /** Converts a database row to the schema of an item. */
  present(row: Row, ctx: TenantContext): z.input<Item> | Promise<z.input<Item>>;
}

/**
 * Parts of one standard operation. Fields have the same meaning as in `operation({...})`, unless stated
 * otherwise.
 */
interface Verb<Id extends string, P extends Params, Q extends Query, B extends Body | undefined, Found> {
  id: Id;
  /** Scope that an API key needs. */
  needs: ApiScope;
  /** Defaults to the verb with the name of the resource, such as "Read a data sink". */
  summary?: string;
  description: string;
  deprecated?: boolean;
  /** Defaults to the access of the collection or item. */
  access?: TenantAccess;
  query?: Q;
  errors?: readonly ErrorStatus[];
  /**
   * Performs the operation and returns database rows, which the resource converts to items of the response.
   */
  run(input: HandlerInput<TenantAccess, P, Q, B>): Promise<Found>;
}

interface ItemVerb<
  Id extends string,
  P extends Params,
  Q extends Query,
  B extends Body | undefined,
  Row,
  Item extends z.ZodType,
> extends Verb<Id, P, Q, B, Row> {
  /** Converts the row instead of the resource's `present`, if the response also depends on the request. */
  present?(row: Row, input: HandlerInput<TenantAccess, P, Q, B>): Promise<z.input<Item>>;
}

/** Operation with a request body that returns one item. */
interface Writing<Id extends string, P extends Params, In extends z.ZodType, Row, Item extends z.ZodType>
  extends ItemVerb<Id, P, undefined, { json: In }, Row, Item> {
  body: In;
  /** Status of a successful response. Defaults to 200. */
  status?: 200 | 201;
}

/**
 * Operation that returns one item. The type is declared explicitly, because inference would turn the item
 * into unknown.
 */
type ItemOperation<
  Id extends string,
  M extends 'get' | 'post' | 'put',
  Path extends string,
  P extends Params,
  Q extends Query,
  Sent,
  Item extends z.ZodType,
> = Operation<Id> & { types?: Exchange<M, Path, SentJson<P>, SentJson<Q>, Sent, z.input<Item>> };

interface Page<Row> {
  items: Row[];
  next_page_token?: string | null | undefined;
  total_size?: number | null | undefined;
}

/**
 * Builders for the standard operations of a resource. Each one returns the result of `operation({...})`.
 * Other operations of the resource are declared with `operation({...})` directly.
 */
class ResourceOperations<
  Path extends string,
  P extends Params,
  ItemPath extends string,
  ItemP extends Params,
  Item extends z.ZodType,
  Row,
> {
  readonly #resource: Resource<Path, P, ItemPath, ItemP, Item, Row>;

  constructor(resource: Resource<Path, P, ItemPath, ItemP, Item, Row>) {
    this.#resource = resource;
  }

  list<const Id extends string, Q extends Query = undefined>(verb: Verb<Id, P, Q, undefined, Row[]>) {
    const { tag, collection, body } = this.#resource;
    return operation({
      ...collection,
      tag,
      summary: `List ${collection.name}`,
      ...verb,
      method: 'get',
      response: { status: 200, json: z.array(body) },
      handle: async (input) => this.#presentAll(await verb.run(input), input),
    });
  }

  /**
   * Builds the operation that lists one page. `pageId` is the name of the page's schema in the OpenAPI
   * description.
   */
  page<const Id extends string, Q extends Query = undefined>(
    verb: Verb<Id, P, Q, undefined, Page<Row>> & { pageId?: string },
  ) {
    const { tag, collection, body } = this.#resource;
    return operation({
      ...collection,
      tag,
      summary: `List ${collection.name}`,
      ...verb,
      method: 'get',
      response: {
        status: 200,
        json: verb.pageId ? buildPageSchema(body).meta({ id: verb.pageId }) : buildPageSchema(body),
      },
      handle: async (input) => {
        const page = await verb.run(input);
        return { ...page, items: await this.#presentAll(page.items, input) };
      },
    });
  }

  create<const Id extends string, In extends z.ZodType>(verb: Writing<Id, P, In, Row, Item>) {
    const { collection, item } = this.#resource;
    return this.#write('post', collection, `Create ${item.name}`, verb);
  }

  upsert<const Id extends string, In extends z.ZodType>(verb: Writing<Id, P, In, Row, Item>) {
    const { collection, item } = this.#resource;
    return this.#write('put', collection, `Create or update ${item.name} by name`, verb);
  }

  get<const Id extends string, Q extends Query = undefined>(
    verb: ItemVerb<Id, ItemP, Q, undefined, Row, Item>,
  ): ItemOperation<Id, 'get', ItemPath, ItemP, Q, undefined, Item> {
    const { tag, item, body } = this.#resource;
    return operation({
      ...item,
      tag,
      summary: `Read ${item.name}`,
      ...verb,
      method: 'get',
      response: { status: 200, json: body },
      handle: (input) => this.#answer(verb, input),
    }) as Operation<Id>;
  }

  update<const Id extends string, In extends z.ZodType>(verb: Writing<Id, ItemP, In, Row, Item>) {
    const { item } = this.#resource;
    return this.#write('put', item, `Update ${item.name}`, verb);
  }

  delete<const Id extends string>(verb: Verb<Id, ItemP, undefined, undefined, unknown>) {
    const { tag, item } = this.#resource;
    return operation({
      ...item,
      tag,
      summary: `Delete ${item.name}`,
      ...verb,
      method: 'delete',
      response: { status: 204 },
      handle: (input) => verb.run(input),
    });
  }

  #write<
    const M extends 'post' | 'put',
    const At extends string,
    AtP extends Params,
    const Id extends string,
    In extends z.ZodType,
  >(
    method: M,
    place: Location<At, AtP>,
    summary: string,
    verb: Writing<Id, AtP, In, Row, Item>,
  ): ItemOperation<Id, M, At, AtP, undefined, SentJson<In>, Item> {
    const { tag, body } = this.#resource;
    return operation({
      ...place,
      tag,
      summary,
      ...verb,
      method,
      body: { json: verb.body },
      response: { status: verb.status ?? 200, json: body },
      handle: (input) => this.#answer(verb, input),
    }) as Operation<Id>;
  }

  #presentAll(rows: Row[], { ctx }: { ctx: TenantContext }) {
    return Promise.all(rows.map((row) => this.#resource.present(row, ctx)));
  }

  async #answer<Q extends Query, B extends Body | undefined, AtP extends Params>(
    verb: ItemVerb<string, AtP, Q, B, Row, Item>,
    input: HandlerInput<TenantAccess, AtP, Q, B>,
  ) {
    const row = await verb.run(input);
    return verb.present ? verb.present(row, input) : this.#resource.present(row, input.ctx);
  }
}

/** Defines a resource. Returns builders for its standard operations. */
export function resource<
  const Path extends string,
  const ItemPath extends string,
  Item extends z.ZodType,
  Row,
  P extends Params = undefined,
  ItemP extends Params = undefined,
>(described: Resource<Path, P, ItemPath, ItemP, Item, Row>) {
  return new ResourceOperations(described);
}
