import { describe, expect, it } from 'vitest';
import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';
import { buildComponent, buildDeps, KEY, openStore, PRODUCTS } from './stores.ts';

const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });
const points = (count: number) => Array.from({ length: count }, (_, at) => toVectorPoint({}, at));

describe.each(PRODUCTS)('check of $name', (product) => {
  const check = (changes: object = {}, dimension?: number) =>
    opensearch.check(
      opensearch.settings.parse(buildComponent(product, changes)),
      buildDeps('index'),
      dimension,
    );

  describe('with an honest cluster', () => {
    const vendors = useVendors(product);

    it('passes with and without an index, and changes nothing', async () => {
      await check({}, 8);
      const store = openStore(product);
      await store.ensure(8);
      await store.upsert(points(1));
      await check();
      await check({}, 8);
      expect(await store.query(toDirection('0'), 5)).toHaveLength(1);
      const { seen } = await vendors.current.state();
      expect(seen.filter(({ method, status }) => method === 'PUT' && status === 200)).toHaveLength(1);
    });

    it('names the index if its vectors have another dimension', async () => {
      await openStore(product).ensure(8);
      await expect(check({}, 16)).rejects.toMatchObject(naming('index_name'));
    });

    it('rejects credentials that may only read', async () => {
      await openStore(product).ensure(8);
      await expect(check({ password: 'read-only' })).rejects.toMatchObject(naming('password'));
      const key = { username: null, password: null, api_key: 'read-only' };
      await expect(check(key)).rejects.toMatchObject(naming('api_key'));
    });

    it.each<[string, object, string]>([
      ['a wrong password', { password: 'other' }, 'password'],
      ['a wrong key', { username: null, password: null, api_key: 'other' }, 'api_key'],
      ['no credentials', { username: null, password: null }, 'password'],
      ['both kinds of credentials', { api_key: KEY }, 'api_key'],
      ['a key with a line break', { username: null, password: null, api_key: 'a\r\nb: c' }, 'api_key'],
      ['a user without a password', { password: null }, 'password'],
      ['a password without a user', { username: null }, 'username'],
      ['a user with a colon', { username: 'a:b' }, 'username'],
      ['no URL', { url: 'nothing at all' }, 'url'],
      ['another protocol', { url: 'ftp://h.test' }, 'url'],
      ['credentials in the URL', { url: 'https://user:password@h.test' }, 'url'],
      ['all indexes', { index_name: '_all' }, 'index_name'],
      ['a pattern', { index_name: 'a*' }, 'index_name'],
      ['two indexes', { index_name: 'a,b' }, 'index_name'],
      ['another path', { index_name: '../_cluster' }, 'index_name'],
      ['an alias', { index_name: 'shared-sluice' }, 'index_name'],
    ])('names the setting for %s', async (_, changes, name) => {
      await openStore(product).ensure(8);
      await expect(check(changes)).rejects.toMatchObject(naming(name));
    });

    it('accepts http only if private addresses are allowed', async () => {
      const settings = opensearch.settings.parse(buildComponent({ base: 'http://h.test' }));
      await expect(opensearch.check(settings, buildDeps('index', false))).rejects.toMatchObject(
        naming('url'),
      );
      expect(() => opensearch.open(settings, buildDeps('index', false) as never)).toThrow('https');
    });

    it.each([429, 500])('is retryable if the cluster answers %i', async (status) => {
      await vendors.current.fail({ kind: 'status', status });
      await expect(check()).rejects.toMatchObject({ name: 'SinkError', retryable: true });
    });
  });

  describe('with an index of the owner', () => {
    const vendors = useVendors(product);
    const isOpenSearch = product.vendor === 'opensearch';
    const settings = isOpenSearch ? { index: { knn: true } } : {};
    const vector = isOpenSearch
      ? {
          type: 'knn_vector',
          dimension: 8,
          method: { name: 'hnsw', engine: 'faiss', space_type: 'cosinesimil' },
        }
      : { type: 'dense_vector', dims: 8, similarity: 'cosine' };
    const others = isOpenSearch
      ? { ...vector, method: { ...vector.method, space_type: 'l2' } }
      : { ...vector, similarity: 'l2_norm' };

    it.each<[string, object, string]>([
      ['a vector of another type', { vector: { type: 'float' } }, 'type float'],
      ['vectors that are compared otherwise', { vector: others }, 'compares vectors by l2'],
      ['an indexed metadata field', { vector, metadata: { type: 'keyword' } }, 'field metadata'],
      ['a field without an index', { vector, document_id: { type: 'keyword', index: false } }, 'be searched'],
    ])('rejects one with %s', async (_, fields, reason) => {
      await vendors.current.hold({ [product.vendor]: { index: { name: 'shared', settings, fields } } });
      await expect(check()).rejects.toMatchObject(naming('index_name'));
      await expect(openStore(product).ensure(8)).rejects.toThrow(reason);
    });

    it('adds the fields and the alias that it lacks', async () => {
      const index = { name: 'shared', settings, fields: { vector } };
      await vendors.current.hold({ [product.vendor]: { index } });
      await check({}, 8);
      const store = openStore(product);
      await store.ensure(8);
      await store.upsert(points(2));
      expect(await store.query(toDirection('x'), 5)).toHaveLength(2);
    });

    if (isOpenSearch) {
      it('rejects one that is not made for vectors', async () => {
        const engine = { ...vector, method: { ...vector.method, engine: 'nmslib' } };
        const given = [
          { settings: {}, fields: { vector } },
          { settings, fields: { vector: engine } },
        ];
        for (const each of given) {
          await vendors.current.hold({ opensearch: { index: { name: 'shared', ...each } } });
          await expect(check()).rejects.toMatchObject(naming('index_name'));
        }
      });
    }
  });

  describe('with another server', () => {
    const vendors = useVendors({ ...product, base: `${product.base}/other` });

    it.each([
      [
        'another product',
        {
          tagline: 'A web server',
          ...(product.vendor === 'opensearch' && { version: { distribution: 'other' } }),
        },
      ],
      ['an old version', { version: { number: product.vendor === 'opensearch' ? '2.3.9' : '8.3.3' } }],
    ])('names the URL of %s', async (_, held) => {
      const place = { url: `${product.base}/other` };
      await vendors.current.hold({ [product.vendor]: held });
      await expect(check(place)).rejects.toMatchObject(naming('url'));
      await expect(openStore(product, place).ensure(8)).rejects.toMatchObject({
        name: 'SinkError',
        retryable: false,
      });
    });
  });
});
