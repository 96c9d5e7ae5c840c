/** Variables that vitest.config.ts and a machine's .dev.vars give the service under test. */
declare namespace Cloudflare {
  interface Env {
    BOOTSTRAP_API_KEY: string;
    SESSION_SECRET: string;
    ENCRYPTION_KEY: string;
    MAX_FILE_MIB: string;
    TEST_OCR_ENGINE: Pick<import('#ocr/worker.ts').default, 'recognise'>;
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[];
  }
}
