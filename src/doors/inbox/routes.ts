/** Every route of the inbox, with who may use it. A test asks each of them as each kind of visitor. */
import { showLink, useLink } from './access/link.ts'
import { addMember, endMember, showMembers } from './access/members.ts'
import {
  addPasskey,
  offerToAdd,
  removePasskey,
  renamePasskey,
  showPasskeys,
  showSettings,
  signOutOthers,
} from './access/settings.ts'
import {
  askForCode,
  offerPasskeys,
  showCode,
  showSignIn,
  signOut,
  useCode,
  usePasskey,
} from './access/sign-in.ts'
import { type InboxRoute } from './frame/guard.ts'
import { markAsSpam, moveLead, moveTicked, noteLead, releaseLead, undoLead } from './lead/acts.ts'
import { erase, showErase } from './lead/erase.ts'
import { sendExport, sendPersonExport, showExport, showPersonExport } from './lead/export.ts'
import { showLead } from './lead/page.ts'
import { sealSearch, showList, showResults } from './list/list.ts'
import { actPath, paths } from './paths.ts'

const get = { method: 'GET' } as const
const post = { method: 'POST' } as const
const forNobody = { who: 'nobody' } as const
const forMember = { who: 'member' } as const
const forFresh = { who: 'fresh' } as const
const forScript = true
const link = `${paths.link}*`
const lead = `${paths.lead}*`
const onLead = { ...post, ...forMember, page: lead }
const onPasskeys = { ...post, ...forFresh, page: paths.passkeys }

export const inboxRoutes: readonly InboxRoute[] = [
  { ...get, path: paths.signIn, ...forNobody, door: showSignIn },
  { ...post, path: paths.signIn, ...forNobody, door: askForCode },
  { ...get, path: paths.signInCode, ...forNobody, door: showCode },
  { ...post, path: paths.signInCode, ...forNobody, door: useCode },
  { ...post, path: paths.signInChallenge, ...forNobody, forScript, door: offerPasskeys },
  { ...post, path: paths.signInPasskey, ...forNobody, forScript, door: usePasskey },
  { ...get, path: link, ...forNobody, door: showLink },
  { ...post, path: link, ...forNobody, door: useLink },
  { ...post, path: paths.signOut, ...forNobody, door: signOut },

  { ...get, path: paths.list, ...forMember, door: showList },
  { ...post, path: paths.moves, ...forMember, page: paths.list, door: moveTicked },
  { ...post, path: paths.search, ...forMember, page: paths.list, door: sealSearch },
  { ...get, path: paths.search, ...forMember, door: showResults },
  { ...get, path: paths.export, ...forFresh, door: showExport },
  { ...post, path: paths.export, ...forFresh, door: sendExport },

  { ...get, path: lead, ...forMember, door: showLead },
  { ...onLead, path: actPath('*', 'move'), door: moveLead },
  { ...onLead, path: actPath('*', 'undo'), door: undoLead },
  { ...onLead, path: actPath('*', 'note'), door: noteLead },
  { ...onLead, path: actPath('*', 'release'), door: releaseLead },
  { ...onLead, path: actPath('*', 'spam'), door: markAsSpam },
  { ...get, path: actPath('*', 'erase'), ...forFresh, door: showErase },
  { ...post, path: actPath('*', 'erase'), ...forFresh, door: erase },
  { ...get, path: actPath('*', 'export'), ...forFresh, door: showPersonExport },
  { ...post, path: actPath('*', 'export'), ...forFresh, door: sendPersonExport },

  { ...get, path: paths.settings, ...forMember, door: showSettings },
  {
    ...post,
    path: paths.signOutOthers,
    ...forMember,
    page: paths.settings,
    door: signOutOthers,
  },
  { ...get, path: paths.passkeys, ...forMember, door: showPasskeys },
  { ...onPasskeys, path: paths.passkeyChallenge, forScript, door: offerToAdd },
  { ...onPasskeys, path: paths.passkeys, forScript, door: addPasskey },
  { ...onPasskeys, path: paths.namePasskey, door: renamePasskey },
  { ...onPasskeys, path: paths.removePasskey, door: removePasskey },
  { ...get, path: paths.members, ...forMember, door: showMembers },
  { ...post, path: paths.members, ...forFresh, door: addMember },
  { ...post, path: paths.endMember, ...forFresh, page: paths.members, door: endMember },
]
