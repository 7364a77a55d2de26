import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiOf } from "./api/api.ts";
import type { Credentials } from "./api/credentials.ts";
import { type Asked, Session } from "./api/session.ts";
import { AlarmsProvider } from "./api/use-alarms.tsx";
import { ApiContext } from "./api/use-api.tsx";
import { AddressPage } from "./pages/address.tsx";
import { AlarmsPage } from "./pages/alarms.tsx";
import { BlockPage } from "./pages/block.tsx";
import { CheckPage } from "./pages/check.tsx";
import { EventsPage } from "./pages/events.tsx";
import { HandlePage } from "./pages/handle.tsx";
import { HostPage } from "./pages/host.tsx";
import { HostsPage } from "./pages/hosts.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PoolPage } from "./pages/pool.tsx";
import { ReservationsPage } from "./pages/reservations.tsx";
import { SearchPage } from "./pages/search.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SpaceByName, SpacesPage } from "./pages/spaces.tsx";
import { Top } from "./shell/top.tsx";
import { SignInPage } from "./sign-in/sign-in.tsx";
import { Covered } from "./state/covered.ts";
import { NavigationProvider, useNavigation, went } from "./state/navigation.tsx";
import type { Page } from "./state/place.ts";

/** The whole console. */
export const App = () => (
  <NavigationProvider>
    <Signed />
  </NavigationProvider>
);

/** The console for who is signed in. It asks for credentials as soon as the API requires them, and keeps the page meanwhile. */
function Signed() {
  const { space, page } = useNavigation().place;
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [isReturning, setIsReturning] = useState(() => isReturn(location));
  const [signIns, setSignIns] = useState(0);
  const session = useMemo(() => new Session(setAsked), []);
  // Another one for each sign-in, so that all that was read with the credentials before is read anew.
  const api = useMemo(() => apiOf(space, session), [space, session, signIns]);
  const signIn = (credentials: Credentials) => {
    session.signIn(credentials);
    setSignIns((before) => before + 1);
  };
  useEffect(() => {
    if (!isReturning) return;
    import("./sign-in/issuer.ts")
      .then(({ tokenOfReturn }) => tokenOfReturn())
      .then(
        (token) => signIn({ type: "bearer", token }),
        (error: Error) =>
          void session.ask({
            refused: `Signing in failed: ${error.message}.`,
            canProceed: false,
          }),
      )
      .finally(() => {
        went();
        setIsReturning(false);
      });
  }, []);
  const isCovered = asked !== undefined;
  return (
    <ApiContext.Provider value={api}>
      {isReturning ? (
        <Frame page={page}>
          <p class="waiting" role="status">
            Signing in…
          </p>
        </Frame>
      ) : (
        <AlarmsProvider space={space}>
          <Frame page={page}>
            {asked && <SignIn asked={asked} signIn={signIn} proceed={() => session.proceed()} />}
            <div class="page" hidden={isCovered}>
              <Covered.Provider value={isCovered}>
                <Content page={page} />
              </Covered.Provider>
            </div>
          </Frame>
        </AlarmsProvider>
      )}
    </ApiContext.Provider>
  );
}

/** Asks the user to sign in. Credentials that were denied here may be good for another space. */
function SignIn({ asked: { refused, canProceed }, signIn, proceed }: SignInProps) {
  return (
    <SignInPage refused={refused} signIn={signIn}>
      {canProceed && refused !== undefined && (
        <>
          <p>A caller who may not list all spaces can go on with these credentials.</p>
          <SpaceByName opened={proceed} />
        </>
      )}
      {canProceed && refused === undefined && (
        <button type="button" onClick={proceed}>
          Back to the page
        </button>
      )}
    </SignInPage>
  );
}

interface SignInProps {
  readonly asked: Asked;
  signIn(credentials: Credentials): void;
  proceed(): void;
}

/** Returns true if the issuer sent the user back to this page. The parts that need the issuer are loaded only then. */
function isReturn({ search }: Pick<Location, "search">): boolean {
  const parameters = new URLSearchParams(search);
  return parameters.has("state") && (parameters.has("code") || parameters.has("error"));
}

/** The bar and the frame around the content of every page. */
const Frame = ({ page, children }: { page: Page; children: preact.ComponentChildren }) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <Top />
    <Main page={page}>{children}</Main>
  </>
);

/** The content of a page. It takes the focus when another page opens, as a load of a page would. */
function Main({ page, children }: { page: Page; children: preact.ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  const key = JSON.stringify(page);
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current !== key) main.current?.focus();
    shown.current = key;
  }, [key]);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {children}
    </main>
  );
}

function Content({ page }: { readonly page: Page }) {
  switch (page.kind) {
    case "overview":
      return <OverviewPage />;
    case "pool":
      return <PoolPage name={page.name} />;
    case "block":
      return <BlockPage name={page.name} />;
    case "address":
      return <AddressPage name={page.name} />;
    case "host":
      return <HostPage name={page.name} />;
    case "handle":
      return <HandlePage name={page.name} />;
    case "search":
      return <SearchPage />;
    case "spaces":
      return <SpacesPage />;
    case "hosts":
      return <HostsPage />;
    case "jobs":
      return <JobsPage />;
    case "reservations":
      return <ReservationsPage />;
    case "alarms":
      return <AlarmsPage />;
    case "events":
      return <EventsPage />;
    case "check":
      return <CheckPage />;
    case "settings":
      return <SettingsPage />;
    case "nowhere":
      return (
        <>
          <h1>There is no such page</h1>
          <p class="none">Page not found.</p>
        </>
      );
  }
}
