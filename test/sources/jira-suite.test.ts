import { describe } from 'vitest';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { jiraFixture, jiraV2Fixture } from './fixtures/jira.ts';

describe('issues with documents', () => sourceSuite(jiraFixture));
describe('issues with wiki markup', () => sourceSuite(jiraV2Fixture));
