export interface HnswSettings {
  distance_method?: 'cosine' | 'hamming' | 'ip' | 'jaccard' | 'l1' | 'l2' | null | undefined;
  ef_construction?: number | null | undefined;
  ef_search?: number | null | undefined;
  m?: number | null | undefined;
  vector_type?: 'bit' | 'half_vec' | 'sparse_vec' | 'vector' | null | undefined;
}

export interface PgvectorSettings {
  database: string;
  embed_dim: number;
  host: string;
  password: string;
  port: number;
  schema_name: string;
  table_name: string;
  user: string;
  /** Settings of the HNSW index. Without them, no index is created, and every search compares all vectors. */
  hnsw_settings?: HnswSettings | null | undefined;
  hybrid_search?: boolean | null | undefined;
  perform_setup: boolean | null;
  native_search?: boolean | null | undefined;
}
