import { describe } from 'vitest';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { jiraFixture, jiraV2Fixture } from './fixtures/jira.ts';

describe('Jira issues with document format', () => sourceSuite(jiraFixture));
describe('Jira issues with wiki markup', () => sourceSuite(jiraV2Fixture));
