import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiOf } from "./api/api.ts";
import type { Credentials } from "./api/credentials.ts";
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
import { SpacesPage } from "./pages/spaces.tsx";
import { Top } from "./shell/top.tsx";
import { SignInPage } from "./sign-in/sign-in.tsx";
import { NavigationProvider, useNavigation, went } from "./state/navigation.tsx";
import type { Page } from "./state/place.ts";

/** The whole console. */
export const App = () => (
  <NavigationProvider>
    <Signed />
  </NavigationProvider>
);

/** The console for who is signed in. It asks for credentials as soon as the API requires them. */
function Signed() {
  const { space, page } = useNavigation().place;
  const [credentials, setCredentials] = useState<Credentials | undefined>(undefined);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [isReturning, setIsReturning] = useState(() => isReturn(location));
  const api = useMemo(
    () =>
      apiOf(space, {
        credentials,
        unauthenticated: (said) => setAsked({ refused: credentials && notAccepted(said) }),
      }),
    [space, credentials],
  );
  useEffect(() => {
    if (!isReturning) return;
    import("./sign-in/issuer.ts")
      .then(({ tokenOfReturn }) => tokenOfReturn())
      .then(
        (token) => setCredentials({ type: "bearer", token }),
        (error: Error) => setAsked({ refused: `Signing in failed: ${error.message}.` }),
      )
      .finally(() => {
        went();
        setIsReturning(false);
      });
  }, []);
  const content = isReturning ? (
    <p class="waiting" role="status">
      Signing in…
    </p>
  ) : asked ? (
    <SignInPage
      refused={asked.refused}
      signIn={(given) => {
        setCredentials(given);
        setAsked(undefined);
      }}
    />
  ) : undefined;
  return (
    <ApiContext.Provider value={api}>
      {content ? (
        <Frame page={page}>{content}</Frame>
      ) : (
        <AlarmsProvider space={space}>
          <Frame page={page}>
            <Content page={page} />
          </Frame>
        </AlarmsProvider>
      )}
    </ApiContext.Provider>
  );
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

/** A demand for credentials. */
interface Asked {
  /** The reason why those that were given are not accepted. */
  readonly refused: string | undefined;
}

const notAccepted = (said: string) => `The API does not accept these credentials. ${said}`;

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
