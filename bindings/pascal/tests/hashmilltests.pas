{ The unit's tests: the shared vectors through every form of input, and errors. `hashmilltests VECTORS-FOLDER…`; ends
  with a line of counts like cargo's. }
program HashMillTests;

{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$MODESWITCH CLASSICPROCVARS}{$H+}

uses
  {$IFDEF UNIX}cthreads,{$ENDIF}
  SysUtils, Classes, fpcunit, testregistry, fpjson, HashMill, TestBasics;

type
  TCall = procedure of object;

  TVectors = class(TTestCase)
  private
    FWhere: string;
    procedure One(V: TJSONObject);
    procedure Folder(const Path: string; var Lines, Bits: Integer; Seen: TStringList);
  published
    procedure EveryLineEveryWay;
  end;

  TUnit = class(TTestCase)
  private
    FBad: THasher;
    FTicks: Integer;
    FLast: THashFilesProgress;
    procedure Expect(Kind: THashErrorKind; const Part: string; Call: TCall);
    procedure StopAtOnce(const Progress: THashFilesProgress; var GoOn: Boolean);
    procedure RaiseAtOnce(const Progress: THashFilesProgress; var GoOn: Boolean);
    procedure CountTicks(const Progress: THashFilesProgress; var GoOn: Boolean);
    procedure UnknownName;
    procedure NameWithZero;
    procedure Ambiguous;
    procedure NilMessage;
    procedure NilDigest;
    procedure ShortDigest;
    procedure NeverSet;
    procedure UseBad;
    procedure UseBadFinal;
    procedure UseBadExport;
    procedure UseBadClone;
    procedure UseBadStream;
    procedure ReadBad;
    procedure ReadTooMuch;
    procedure ZeroInHex;
    procedure NilStream;
    procedure WrongKey;
    procedure EmptyKey;
    procedure LoadedTwice;
    procedure NoOffsets;
    procedure Descending;
    procedure ShortColumn;
    procedure BadState;
    procedure SecretState;
    procedure OddHex;
    procedure NoHex;
    procedure NotExtendable;
    procedure HmacOfCrc;
    procedure MissingFile;
    procedure Stopped;
    procedure NotResumable;
    procedure CombineShort;
    procedure SeedOfMd5;
    procedure NoKernel;
  published
    procedure Names;
    procedure Errors;
    procedure ClosedHashers;
    procedure Crcs;
    procedure Hex;
    procedure Parts;
    procedure Output;
    procedure Keys;
    procedure Many;
    procedure Files;
    procedure FloatingPointTraps;
    procedure Version;
  end;

function Text(const S: AnsiString): TBytes;
begin
  Result := nil;
  SetLength(Result, Length(S));
  if S <> '' then
    Move(S[1], Result[0], Length(S));
end;

{ TVectors }

procedure TVectors.One(V: TJSONObject);
var
  A: THashAlgorithm;
  M, Want, Digest: TBytes;
  Options: THashOptions;
  Hasher, Other: THasher;
  Mac, Half: THashMac;
  Stream: TBytesStream;
  All: TBytesArray;
  Plain: Boolean;
  At, N: Integer;

  procedure Is_(const Way: string; const Got: TBytes);
  begin
    AssertEquals(FWhere + ', ' + Way, V.Strings['digest_hex'], HashToHex(Got));
    AssertTrue(FWhere + ', ' + Way, SameHash(Got, Want));
  end;

begin
  Want := HexToHash(V.Strings['digest_hex']);
  A := THashAlgorithm.Named(V.Strings['algorithm']);
  if A.DigestLen <> NativeUInt(Length(Want)) then
    A := A.WithDigestLen(Length(Want));
  if V.IndexOfName('seed') >= 0 then
    A := A.WithSeed(V.QWords['seed']);
  M := MessageOf(V);
  Options := THashOptions.None;
  if V.IndexOfName('key_hex') >= 0 then
    Options.Key := HexToHash(V.Strings['key_hex']);
  if V.Get('mode', '') = 'hmac' then
  begin
    Half := nil;
    Mac := THashMac.Create(A, Options.Key);
    try
      Mac.Update(M);
      Is_('HMAC', Mac.Final);
      AssertTrue(FWhere, Mac.Verify(Want));
      Mac.Reset;
      Mac.Update(Pointer(M), Length(M) div 2);
      Half := Mac.Clone;
      Mac.Update(Copy(M, Length(M) div 2, MaxInt));
      Is_('HMAC again', Mac.Final);
      Half.Update(Copy(M, Length(M) div 2, MaxInt));
      Is_('HMAC, cloned', Half.Final);
    finally
      Half.Free;
      Mac.Free;
    end;
    Exit;
  end;
  if V.IndexOfName('salt_hex') >= 0 then
    Options.Salt := HexToHash(V.Strings['salt_hex']);
  if V.IndexOfName('personal_hex') >= 0 then
    Options.Personal := HexToHash(V.Strings['personal_hex']);
  if V.IndexOfName('context') >= 0 then
    Options.Context := V.Strings['context'];
  Plain := (Options.Key = nil) and (Options.Salt = nil) and (Options.Personal = nil) and (Options.Context = '');
  Hasher := THasher.Create(A, Options);
  Other := nil;
  Stream := TBytesStream.Create(M);
  try
    if V.IndexOfName('bit_length') >= 0 then
    begin
      Hasher.UpdateBits(Pointer(M), V.QWords['bit_length']);
      Is_('bits', Hasher.Final);
      Exit;
    end;
    Hasher.Update(M);
    Is_('update', Hasher.Final);
    Is_('final again', Hasher.Final);
    Hasher.Reset;
    At := 0;
    N := 1;
    while At < Length(M) do
    begin
      if N > Length(M) - At then
        N := Length(M) - At;
      Hasher.Update(@M[At], N);
      Inc(At, N);
      N := N mod 67 + 1;
      { Half-way, a copy of the hasher continues. }
      if (Other = nil) and (At > Length(M) div 2) then
      begin
        Other := Hasher.Clone;
        Other.Update(Pointer(@M[At]), Length(M) - At);
        Is_('clone', Other.Final);
      end;
    end;
    Is_('pieces', Hasher.Final);
    Hasher.Reset;
    AssertEquals(FWhere, Length(M), Integer(Hasher.UpdateStream(Stream)));
    Is_('stream', Hasher.Final);
    if not Plain then
      Exit;
    Is_('one-shot', A.Digest(M));
    Digest := nil;
    SetLength(Digest, Length(Want));
    A.DigestTo(Pointer(M), Length(M), Pointer(Digest), Length(Digest));
    Is_('in place', Digest);
    FreeAndNil(Other);
    Hasher.Reset;
    Hasher.Update(Pointer(M), Length(M) div 3);
    Other := THasher.CreateFromState(Hasher.ExportState);
    Other.Update(Pointer(Copy(M, Length(M) div 3, MaxInt)), Length(M) - Length(M) div 3);
    Is_('state', Other.Final);
    All := nil;
    SetLength(All, 3);
    All[0] := M;
    All[1] := Copy(M, 0, Length(M) div 2);
    All[2] := M;
    All := A.DigestMany(All);
    Is_('many', All[0]);
    Is_('many', All[2]);
  finally
    Stream.Free;
    Other.Free;
    Hasher.Free;
  end;
end;

procedure TVectors.Folder(const Path: string; var Lines, Bits: Integer; Seen: TStringList);
var
  Found: TSearchRec;
  Rows: TStringList;
  V: TJSONObject;
  I: Integer;
begin
  Rows := TStringList.Create;
  try
    if FindFirst(Path + '/*.jsonl', faAnyFile, Found) = 0 then
      repeat
        Rows.LoadFromFile(Path + '/' + Found.Name);
        for I := 0 to Rows.Count - 1 do
        begin
          V := RowOf(Rows[I]);
          try
            FWhere := Format('%s:%d', [Found.Name, I + 1]);
            { Chains of a million digests have tests of their own. }
            if (V.IndexOfName('digest_hex') < 0) or (V.IndexOfName('monte') >= 0) then
              Continue;
            { Skips bits counted from the high end, as only the vectors of Keccak's submission have them. }
            if (V.IndexOfName('bit_length') >= 0) and (Copy(V.Strings['algorithm'], 1, 6) = 'keccak') then
              Continue;
            One(V);
            Seen.Add(THashAlgorithm.Named(V.Strings['algorithm']).Name);
            Inc(Lines);
            if V.IndexOfName('bit_length') >= 0 then
              Inc(Bits);
          finally
            V.Free;
          end;
        end;
      until FindNext(Found) <> 0;
    FindClose(Found);
  finally
    Rows.Free;
  end;
end;

procedure TVectors.EveryLineEveryWay;
var
  Lines, Bits, I: Integer;
  Seen: TStringList;
begin
  Lines := 0;
  Bits := 0;
  Seen := TStringList.Create;
  try
    Seen.Sorted := True;
    Seen.Duplicates := dupIgnore;
    AssertTrue('the folder with the vectors is an argument', ParamCount > 0);
    for I := 1 to ParamCount do
      Folder(ParamStr(I), Lines, Bits, Seen);
    AssertTrue(Format('%d vectors', [Lines]), Lines >= 9000);
    AssertTrue(Format('%d vectors of bits', [Bits]), Bits >= 100);
    for I := 0 to Integer(THashAlgorithm.Count) - 1 do
      AssertTrue('no vector of ' + THashAlgorithm.At(I).Name, Seen.IndexOf(THashAlgorithm.At(I).Name) >= 0);
    Writeln(Lines, ' vectors of ', Seen.Count, ' algorithms');
  finally
    Seen.Free;
  end;
end;

{ TUnit }

procedure TUnit.Expect(Kind: THashErrorKind; const Part: string; Call: TCall);
begin
  try
    Call;
  except
    on E: EHashMill do
    begin
      AssertEquals(E.Message, Ord(Kind), Ord(E.Kind));
      AssertTrue('"' + E.Message + '" has no "' + Part + '"', (Part = '') or (Pos(Part, E.Message) > 0));
      Exit;
    end;
  end;
  Fail('no exception: ' + Part);
end;

procedure TUnit.Names;
var
  A: THashAlgorithm;
  I: Integer;
  Found: Boolean;
begin
  A := THashAlgorithm.Named('SHA2-256');
  AssertEquals('sha256', A.Name);
  AssertEquals(32, A.DigestLen);
  AssertEquals(64, A.BlockLen);
  AssertTrue(A.Security = hsSound);
  AssertTrue(A.SameAs(THashAlgorithm.Named('sha256')));
  AssertFalse(A.SameAs(THashAlgorithm.Named('sha512')));
  AssertTrue(Pos('180', A.Specification) > 0);
  AssertTrue(THashAlgorithm.Named('md5').Security = hsBroken);
  AssertTrue(THashAlgorithm.Named('md5').SecurityReason <> '');
  AssertEquals(64, THashAlgorithm.Named('xxh64').SeedBits);
  AssertEquals(0, A.SeedBits);
  AssertEquals(128, A.CollisionBits);
  AssertEquals(16, THashAlgorithm.Named('blake2b-512').MaxSaltLen);
  AssertEquals(16, THashAlgorithm.Named('blake2b-512').MaxPersonalLen);
  AssertEquals(64, THashAlgorithm.Named('blake2b-512').MaxKeyLen);
  AssertTrue(THashAlgorithm.Named('blake3').TakesContext and not A.TakesContext);
  AssertTrue(A.TellsFilesApart and not THashAlgorithm.Named('adler32').TellsFilesApart);
  Found := False;
  for I := 0 to High(A.Aliases) do
    Found := Found or SameText(A.Aliases[I], 'sha-256');
  AssertTrue('sha-256 is an alias', Found);
  AssertEquals(100, THashAlgorithm.Named('shake128').WithDigestLen(100).DigestLen);
  AssertTrue(THashAlgorithm.Named('xxh64:seed=7').SameAs(THashAlgorithm.Named('xxh64').WithSeed(7)));
  AssertTrue(THashAlgorithm.Count > 200);
  AssertTrue(A.KernelCount > 0);
  AssertEquals('portable', A.Kernel(A.KernelCount - 1).Name);
  for I := 0 to Integer(THashAlgorithm.Count) - 1 do
    AssertTrue(THashAlgorithm.Named(THashAlgorithm.At(I).Name).SameAs(THashAlgorithm.At(I)));
end;

procedure TUnit.UnknownName; begin THashAlgorithm.Named('sha265'); end;
procedure TUnit.NameWithZero; begin THashAlgorithm.Named('md5'#0'x'); end;
procedure TUnit.Ambiguous; begin THashAlgorithm.Named('crc16-ccitt'); end;
procedure TUnit.NilMessage; begin THashAlgorithm.Named('md5').Digest(nil, 5); end;

procedure TUnit.NilDigest; begin THashAlgorithm.Named('md5').DigestTo(nil, 0, nil, 16); end;

procedure TUnit.ShortDigest;
var
  Room: array[0..7] of Byte;
begin
  THashAlgorithm.Named('md5').DigestTo(nil, 0, @Room, SizeOf(Room));
end;

procedure TUnit.NeverSet;
var
  A: THashAlgorithm;
begin
  A := Default(THashAlgorithm);
  A.Digest('abc');
end;

procedure TUnit.UseBad; begin FBad.Update('x'); end;
procedure TUnit.UseBadFinal; begin FBad.Final; end;
procedure TUnit.UseBadExport; begin FBad.ExportState; end;
procedure TUnit.UseBadClone; begin FBad.Clone; end;
procedure TUnit.UseBadStream; begin FBad.UpdateStream(nil); end;

procedure TUnit.NilStream;
begin
  with THasher.Create('md5') do
    try
      UpdateStream(nil);
    finally
      Free;
    end;
end;

procedure TUnit.WrongKey;
var
  Options: THashOptions;
begin
  Options := THashOptions.None;
  Options.Key := Pattern(15);
  THasher.Create(THashAlgorithm.Named('siphash-2-4'), Options).Free;
end;

procedure TUnit.EmptyKey;
var
  Options: THashOptions;
begin
  Options := THashOptions.None;
  Options.EmptyKey := True;
  THasher.Create(THashAlgorithm.Named('siphash-2-4'), Options).Free;
end;

procedure TUnit.LoadedTwice; begin LoadHashMill('/other/libhashmill.so'); end;

procedure TUnit.NoOffsets;
var
  Digest: array[0..15] of Byte;
begin
  THashAlgorithm.Named('md5').DigestColumn([], nil, 0, @Digest, 16);
end;

procedure TUnit.Descending;
var
  Digests: array[0..31] of Byte;
begin
  THashAlgorithm.Named('md5').DigestColumn([0, 3, 1], PAnsiChar('abc'), 3, @Digests, 32);
end;

procedure TUnit.ShortColumn;
var
  Digests: array[0..30] of Byte;
begin
  THashAlgorithm.Named('md5').DigestColumn([0, 1, 3], PAnsiChar('abc'), 3, @Digests, 31);
end;

procedure TUnit.BadState; begin THasher.CreateFromState(Pattern(100)).Free; end;

procedure TUnit.SecretState;
var
  Options: THashOptions;
begin
  Options := THashOptions.None;
  Options.Key := Pattern(32);
  with THasher.Create(THashAlgorithm.Named('blake3'), Options) do
    try
      ExportState;
    finally
      Free;
    end;
end;

procedure TUnit.OddHex; begin HexToHash('abc'); end;
procedure TUnit.NoHex; begin HexToHash('xy'); end;
procedure TUnit.ZeroInHex; begin HexToHash('a'#0); end;

procedure TUnit.ReadBad;
var
  Endless: THashOutput;
begin
  Endless := nil;
  Endless.Read(4);
end;

procedure TUnit.ReadTooMuch;
var
  Hasher: THasher;
  Endless: THashOutput;
begin
  Hasher := THasher.Create('shake128');
  Endless := THashOutput.Create(Hasher);
  try
    Endless.Read(High(NativeUInt));
  finally
    Endless.Free;
    Hasher.Free;
  end;
end;

procedure TUnit.NotExtendable;
var
  Hasher: THasher;
begin
  Hasher := THasher.Create('sha256');
  try
    THashOutput.Create(Hasher).Free;
  finally
    Hasher.Free;
  end;
end;

procedure TUnit.HmacOfCrc; begin THashMac.Create(THashAlgorithm.Named('crc32'), Pattern(3)).Free; end;
procedure TUnit.MissingFile; begin THashAlgorithm.Named('md5').DigestFile('/no/such/file'); end;

procedure TUnit.Stopped;
var
  A: THashAlgorithms;
  P: THashNames;
begin
  A := nil;
  P := nil;
  SetLength(A, 1);
  A[0] := THashAlgorithm.Named('md5');
  SetLength(P, 1);
  P[0] := ParamStr(0);
  HashFiles(A, P, 1, StopAtOnce);
end;

procedure TUnit.NotResumable; begin THashAlgorithm.Named('md5').Combine(Pattern(16), Pattern(16), 3); end;
procedure TUnit.CombineShort; begin THashAlgorithm.Named('crc32').Combine(Pattern(3), Pattern(4), 3); end;
procedure TUnit.SeedOfMd5; begin THashAlgorithm.Named('md5').WithSeed(1); end;

procedure TUnit.NoKernel;
var
  Options: THashOptions;
begin
  Options := THashOptions.None;
  Options.Kernel := 'abacus';
  THasher.Create(THashAlgorithm.Named('md5'), Options).Free;
end;

procedure TUnit.Errors;
begin
  Expect(hekUnknownAlgorithm, 'did you mean sha256?', UnknownName);
  Expect(hekUnknownAlgorithm, 'zero byte', NameWithZero);
  Expect(hekAmbiguousName, 'several algorithms', Ambiguous);
  Expect(hekBadArgument, '', NilMessage);
  Expect(hekBadArgument, '', NilDigest);
  Expect(hekWrongLength, '16 bytes', ShortDigest);
  Expect(hekBadArgument, '', NeverSet);
  Expect(hekBadKey, '16 bytes, not 15', WrongKey);
  Expect(hekBadKey, '16 bytes, not 0', EmptyKey);
  Expect(hekBadArgument, 'loaded already', LoadedTwice);
  Expect(hekBadOffsets, 'no offsets', NoOffsets);
  Expect(hekBadOffsets, 'ascend', Descending);
  Expect(hekWrongTotal, '31 bytes', ShortColumn);
  Expect(hekBadState, 'state', BadState);
  Expect(hekSecretState, 'not exported', SecretState);
  Expect(hekWrongLength, '3 hexadecimal digits', OddHex);
  Expect(hekBadArgument, '', NoHex);
  Expect(hekBadArgument, 'zero byte', ZeroInHex);
  Expect(hekNoMemory, 'no memory', ReadTooMuch);
  Expect(hekNotExtendable, 'sha256', NotExtendable);
  Expect(hekBadKey, 'crc32', HmacOfCrc);
  Expect(hekIo, '/no/such/file: no such file', MissingFile);
  Expect(hekCancelled, '', Stopped);
  Expect(hekNotResumable, 'md5', NotResumable);
  Expect(hekWrongLength, 'crc32: the digest has 4 bytes, not 3 and 4', CombineShort);
  Expect(hekBadParameter, 'md5', SeedOfMd5);
  Expect(hekUnknownKernel, 'abacus', NoKernel);
end;

procedure TUnit.ClosedHashers;
var
  Round: Integer;
  Endless: THashOutput;
  Mac: THashMac;
  All: THashParts;
begin
  FBad := THasher.Create('sha256');
  FBad.Update('abc');
  FBad.Close;
  FBad.Close;
  for Round := 1 to 2 do
  begin
    Expect(hekBadArgument, 'closed', UseBad);
    Expect(hekBadArgument, 'closed', UseBadFinal);
    Expect(hekBadArgument, 'closed', UseBadExport);
    Expect(hekBadArgument, 'closed', UseBadClone);
    Expect(hekBadArgument, 'closed', UseBadStream);
    { Also after the hasher is freed. Closing nil is allowed, like Free of nil. }
    FreeAndNil(FBad);
    FBad.Close;
  end;
  Endless := nil;
  Endless.Close;
  Mac := nil;
  Mac.Close;
  All := nil;
  All.Close;
  Expect(hekBadArgument, 'closed', ReadBad);
  Expect(hekBadArgument, 'no stream', NilStream);
end;

procedure TUnit.Crcs;
var
  M: TBytes;
  Cut: Integer;
  Whole: Cardinal;
begin
  M := Text('123456789');
  AssertEquals('CBF43926', IntToHex(CalcCRC32(Pointer(M), 9), 8));
  AssertEquals('E3069283', IntToHex(CalcCRC32C(Pointer(M), 9), 8));
  AssertEquals('00000000', IntToHex(CalcCRC32(nil, 0), 8));
  M := Pattern(10000);
  Whole := CalcCRC32(Pointer(M), Length(M));
  Cut := 0;
  while Cut <= Length(M) do
  begin
    AssertEquals(IntToHex(Whole, 8), IntToHex(CalcCRC32(Pointer(Copy(M, Cut, MaxInt)), Length(M) - Cut, CalcCRC32(Pointer(M), Cut)), 8));
    AssertEquals(IntToHex(CalcCRC32C(Pointer(M), Length(M)), 8),
      IntToHex(CalcCRC32C(Pointer(Copy(M, Cut, MaxInt)), Length(M) - Cut, CalcCRC32C(Pointer(M), Cut)), 8));
    Inc(Cut, 97);
  end;
end;

procedure TUnit.Hex;
begin
  AssertEquals('00ff10', HashToHex(HexToHash('00FF10')));
  AssertEquals('', HashToHex(nil));
  AssertEquals(0, Length(HexToHash('')));
  AssertTrue(SameHash(HexToHash('0102'), HexToHash('0102')));
  AssertFalse(SameHash(HexToHash('0102'), HexToHash('01')));
  AssertFalse(SameHash(HexToHash('0102'), nil));
end;

procedure TUnit.Parts;
const
  DIVISIBLE: array[0..4] of string = ('blake3', 'xxh3', 'xxh128', 'crc32', 'adler32');
var
  Whole: THashParts;
  A: THashAlgorithm;
  M: TBytes;
  I, K: Integer;
begin
  M := Pattern(5 * 8192 + 100);
  for K := 0 to High(DIVISIBLE) do
  begin
    A := THashAlgorithm.Named(DIVISIBLE[K]);
    AssertTrue(A.IsDivisible);
    Whole := THashParts.Create(A, 8192);
    try
      for I := 0 to 4 do
        Whole.Push(@M[I * 8192]);
      AssertEquals(DIVISIBLE[K], A.Hex(M), HashToHex(Whole.Final(@M[5 * 8192], 100)));
    finally
      Whole.Free;
    end;
  end;
end;

procedure TUnit.Output;
var
  Hasher: THasher;
  Out_: THashOutput;
  First, Whole: TBytes;
begin
  Hasher := THasher.Create('shake128');
  Out_ := nil;
  try
    Hasher.Update('abc');
    Out_ := THashOutput.Create(Hasher);
    First := Out_.Read(7);
    Whole := THashAlgorithm.Named('shake128').WithDigestLen(1000).Digest('abc');
    AssertEquals(HashToHex(Copy(Whole, 0, 7)), HashToHex(First));
    AssertEquals(HashToHex(Copy(Whole, 7, 993)), HashToHex(Out_.Read(993)));
  finally
    Out_.Free;
    Hasher.Free;
  end;
end;

procedure TUnit.Keys;
var
  Options: THashOptions;
  Hasher: THasher;
  Plain: TBytes;
begin
  { HMAC accepts an empty key; elsewhere an empty key is the same as none. }
  with THashMac.Create(THashAlgorithm.Named('md5'), nil) do
    try
      AssertEquals('74e6f7298a9c2d168935f58c001bad88', FinalHex);
      AssertFalse(Verify(HexToHash('74e6f7298a9c2d168935f58c001bad')));
    finally
      Free;
    end;
  Options := THashOptions.None;
  Options.ResumeFrom := THashAlgorithm.Named('crc32').Digest('1234');
  Hasher := THasher.Create(THashAlgorithm.Named('crc32'), Options);
  try
    Hasher.Update('56789');
    AssertEquals('cbf43926', Hasher.FinalHex);
  finally
    Hasher.Free;
  end;
  Plain := THashAlgorithm.Named('sha256').Digest('abc');
  Options := THashOptions.None;
  Options.Kernel := 'portable';
  Hasher := THasher.Create(THashAlgorithm.Named('sha256'), Options);
  try
    Hasher.Update('abc');
    AssertTrue(SameHash(Plain, Hasher.Final));
    AssertEquals('sha256', Hasher.Algorithm.Name);
  finally
    Hasher.Free;
  end;
end;

procedure TUnit.Many;
const
  SOME: array[0..3] of string = ('md5', 'sha3-256', 'crc32', 'whirlpool');
var
  A: THashAlgorithm;
  Raw, Long: TBytes;
  Column: AnsiString;
  Ends: array of UInt64;
  M, D: TBytesArray;
  I, K, Threads: Integer;
begin
  M := nil;
  SetLength(M, 300);
  for I := 0 to High(M) do
    M[I] := Pattern(I * 37 mod 3001);
  for K := 0 to High(SOME) do
    for Threads := 0 to 3 do
    begin
      A := THashAlgorithm.Named(SOME[K]);
      D := A.DigestMany(M, Threads);
      AssertEquals(Length(M), Length(D));
      for I := 0 to High(M) do
        AssertEquals(A.Hex(M[I]), HashToHex(D[I]));
    end;
  AssertEquals(0, Length(THashAlgorithm.Named('md5').DigestMany(nil)));
  { Messages 'abc', '' and 'de' in one buffer, as bytes and as digits. }
  A := THashAlgorithm.Named('md5');
  Raw := nil;
  SetLength(Raw, 48);
  A.DigestColumn([0, 3, 3, 5], PAnsiChar('abcde'), 5, Pointer(Raw), 48);
  AssertEquals(A.Hex('abc') + A.Hex('') + A.Hex('de'), HashToHex(Raw));
  Column := StringOfChar('?', 96);
  A.DigestColumn([0, 3, 3, 5], PAnsiChar('abcde'), 5, PAnsiChar(Column), 96, True);
  AssertEquals(HashToHex(Raw), Column);
  A.DigestColumn([0], nil, 0, nil, 0);
  Ends := nil;
  { 200 messages of 10000 bytes, on three threads. }
  Long := Pattern(2000000);
  SetLength(Ends, 201);
  for I := 0 to High(Ends) do
    Ends[I] := I * 10000;
  SetLength(Raw, 200 * 16);
  A.DigestColumn(Ends, Pointer(Long), Length(Long), Pointer(Raw), Length(Raw), False, 3);
  for I := 0 to 199 do
    AssertEquals(A.Hex(@Long[I * 10000], 10000), HashToHex(Copy(Raw, I * 16, 16)));
end;

procedure TUnit.StopAtOnce(const Progress: THashFilesProgress; var GoOn: Boolean);
begin
  GoOn := Progress.Bytes > High(Int64);
end;

procedure TUnit.RaiseAtOnce(const Progress: THashFilesProgress; var GoOn: Boolean);
begin
  GoOn := True;
  raise ERangeError.CreateFmt('after %d files', [Progress.Files]);
end;

procedure TUnit.CountTicks(const Progress: THashFilesProgress; var GoOn: Boolean);
begin
  Inc(FTicks);
  GoOn := True;
  FLast := Progress;
end;

procedure TUnit.Files;
var
  A: THashAlgorithms;
  P: THashNames;
  F: THashFiles;
  Stream: TFileStream;
  Name: string;
begin
  { A name that is not UTF-8 and contains a line feed. }
  Name := GetTempFileName('', 'hm') + #$FF#10'x';
  Stream := TFileStream.Create(Name, fmCreate);
  try
    Stream.WriteBuffer(Pattern(100000)[0], 100000);
  finally
    Stream.Free;
  end;
  A := nil;
  P := nil;
  try
    SetLength(A, 2);
    A[0] := THashAlgorithm.Named('sha256');
    A[1] := THashAlgorithm.Named('crc32');
    SetLength(P, 2);
    P[0] := Name;
    P[1] := '/no/such/file';
    FTicks := 0;
    F := HashFiles(A, P, 2, CountTicks);
    AssertTrue(FTicks > 0);
    AssertTrue(FLast.Complete);
    AssertTrue(FLast.Files = 2);
    AssertTrue(FLast.FilesTotal = 2);
    AssertTrue(FLast.Bytes = 100000);
    AssertTrue(FLast.BytesTotal = 100000);
    AssertEquals(2, Length(F));
    AssertEquals(Name, F[0].Path);
    AssertEquals('', F[0].Error);
    AssertEquals(A[0].Hex(Pattern(100000)), HashToHex(F[0].Digests[0]));
    AssertEquals(A[1].Hex(Pattern(100000)), HashToHex(F[0].Digests[1]));
    AssertEquals('no such file or directory', F[1].Error);
    AssertEquals(0, Length(F[1].Digests));
    AssertEquals(A[0].Hex(Pattern(100000)), HashToHex(A[0].DigestFile(Name)));
    AssertEquals(0, Length(HashFiles(A, nil)));
    try
      HashFiles(A, P, 1, RaiseAtOnce);
      Fail('the exception was lost');
    except
      on E: ERangeError do
        AssertEquals('after ', Copy(E.Message, 1, 6));
    end;
    try
      HashFiles(nil, P);
      Fail('no algorithm is none');
    except
      on E: EHashMill do
        AssertEquals(Ord(hekBadArgument), Ord(E.Kind));
    end;
  finally
    DeleteFile(Name);
  end;
end;

{ By default, Free Pascal traps invalid operations and divisions by zero, and threads inherit that. }
procedure TUnit.FloatingPointTraps;
var
  A: THashAlgorithms;
  P: THashNames;
  I, K: Integer;
begin
  A := nil;
  P := nil;
  SetLength(P, 40);
  for I := 0 to High(P) do
    P[I] := ParamStr(0);
  SetLength(A, THashAlgorithm.Count);
  for K := 0 to High(A) do
    A[K] := THashAlgorithm.At(K);
  SetLength(A, 30);
  AssertEquals('', HashFiles(A, P, 4, CountTicks)[39].Error);
end;

procedure TUnit.Version;
begin
  AssertTrue(HashMillVersion <> '');
  LoadHashMill;
end;

begin
  RegisterTests([TVectors, TUnit]);
  RunAll;
end.
