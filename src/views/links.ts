// Web addresses of the commits of a repository.
import { z } from '@hono/zod-openapi'

/** Only https. Absent: the Git host is unknown. */
export const linksSchema = z
  .object({
    commit: z.string().describe('The page of a commit. Replace `{commit}` by its id.'),
    compare: z.string().describe('What differs between two commits. Replace `{from}` and `{to}` by their ids.'),
  })
  .openapi('CommitLinks', {
    description:
      'Web addresses of the commits of a repository, always https. Its host is GitHub, GitLab, Gitea or Forgejo, by ' +
      'its name or by `commitStatus` of the configuration file.',
  })
