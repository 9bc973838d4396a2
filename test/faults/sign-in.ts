/** A member of the inbox of a running service. */
import type { Place } from '../support/backup.ts'
import { leadIntake } from '../support/operator.ts'
import { askOnce, postRequest } from '../support/wire.ts'

/** As a member who was just sent the link. Returns the cookie. */
export async function signIn(
  place: Place,
  service: { url: string; port: number },
): Promise<string> {
  const who = ['--email', 'robin@example.com', '--name', 'Robin', '--json']
  const link = await leadIntake(place, ['inbox', 'link', ...who], { BASE_URL: service.url })
  const { pathname } = new URL((JSON.parse(link.out) as { url: string }).url)
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Sec-Fetch-Site': 'same-origin',
  }
  const welcome = await askOnce(service.port, postRequest('', headers, pathname))
  return welcome.headers['set-cookie']!.split(';')[0]!
}
